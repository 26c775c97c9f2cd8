// What warps do (opening deck, lab 02): divergence at a branch, the threads of a reduction, latency
// hidden by other warps, copies that overlap with arithmetic. See figure.h. Everything drawn is
// computed here from the rule that the picture is about.
#include "figures/figure.h"

enum { LANES = 32 };

// ---- Divergence: which threads of a block take the branch ----

static bool from_third(int t) { return t > 2; }
static bool from_third_warp(int t) { return t / LANES > 2; }
static bool odd(int t) { return t % 2 != 0; }

static const struct {
    bool (*takes)(int thread);
    const char *text;
} branches[] = {{from_third, "threadIdx.x > 2"},
                {from_third_warp, "threadIdx.x / 32 > 2"},
                {odd, "threadIdx.x % 2"}};

void figure_draw_divergence(void) {
    enum { WARPS = 5, CELL = 14, LEFT = 78, ROW = 19, PANEL = 118, COUNT = 3 };
    begin_figure(760, COUNT * PANEL + 6,
                 "Which threads of five warps take a branch, for three conditions, and how many "
                 "paths each warp executes");
    for (int b = 0; b < COUNT; b++) {
        double top = 22 + b * PANEL;
        put_text(LEFT, top - 6, "t", "if (%s)", branches[b].text);
        for (int w = 0; w < WARPS; w++) {
            int taking = 0;
            for (int l = 0; l < LANES; l++) {
                bool takes = branches[b].takes(w * LANES + l);
                taking += takes;
                put_rect(LEFT + l * CELL, top + w * ROW, CELL - 2, CELL, takes ? "k0" : "k2");
            }
            bool split = taking > 0 && taking < LANES;
            put_text(LEFT - 8, top + w * ROW + 11, "v e", "warp %d", w);
            put_text(LEFT + LANES * CELL + 10, top + w * ROW + 11, "v",
                     split ? "2 paths, one after the other" : "1 path");
        }
    }
}

// ---- Reduction: which threads add in which iteration ----

static bool interleaved(int t, int stride) { return t % (2 * stride) == 0; }
static bool packed(int t, int stride, int threads) { return t < threads / (2 * stride); }

void figure_draw_reduction_trees(void) {
    enum { THREADS = 64, ITERATIONS = 6, CELL = 9, LEFT = 84, ROW = 17, PANEL = 142 };
    static const char *const titles[] = {"interleaved: t % (2 * stride) == 0",
                                         "sequential: t < stride"};
    begin_figure(760, 2 * PANEL + 10,
                 "Threads of two warps that add in each iteration of a reduction of 64 values");
    for (int panel = 0; panel < 2; panel++) {
        double top = 40 + panel * PANEL;
        put_text(LEFT, top - 20, "t", "%s", titles[panel]);
        put_text(LEFT, top - 5, "v", "warp 0");
        put_text(LEFT + LANES * CELL + 8, top - 5, "v", "warp 1");
        for (int i = 0; i < ITERATIONS; i++) {
            int busy[2] = {0, 0};
            for (int t = 0; t < THREADS; t++) {
                bool adds = panel == 0 ? interleaved(t, 1 << i) : packed(t, 1 << i, THREADS);
                busy[t / LANES] += adds;
                put_rect(LEFT + t * CELL + (t >= LANES ? 8 : 0), top + i * ROW, CELL - 1, ROW - 4,
                         adds ? "good" : "cell");
            }
            put_text(LEFT - 8, top + i * ROW + 10, "v e", "iteration %d", i);
            put_text(LEFT + THREADS * CELL + 18, top + i * ROW + 10, "v", "%d warp%s",
                     (busy[0] > 0) + (busy[1] > 0), (busy[0] > 0) + (busy[1] > 0) == 1 ? "" : "s");
        }
    }
}

// ---- Latency: a scheduler with few and with enough warps ----

enum { ISSUE = 4, INSTRUCTIONS = 4, MEMORY = 200, SPAN = 860 };

// Every warp executes INSTRUCTIONS of ISSUE cycles each, then waits for a load of MEMORY cycles.
// The scheduler serves the first warp that is ready. Returns the cycles in which it issued.
static int draw_schedule(int warps, double left, double top, double row, double scale) {
    int ready[16] = {0}, left_of[16], busy = 0;
    for (int w = 0; w < warps; w++) left_of[w] = INSTRUCTIONS;
    for (int now = 0; now < SPAN; now += ISSUE) {
        int chosen = -1;
        for (int w = 0; w < warps && chosen < 0; w++)
            if (ready[w] <= now) chosen = w;
        if (chosen < 0) continue;
        put_rect(left + now * scale, top + chosen * row, ISSUE * scale, row - 2, "good");
        busy += ISSUE;
        ready[chosen] = now + ISSUE;
        if (--left_of[chosen] > 0) continue;
        left_of[chosen] = INSTRUCTIONS;
        ready[chosen] = now + ISSUE + MEMORY;
        double end = ready[chosen] < SPAN ? ready[chosen] : SPAN;
        put_rect(left + (now + ISSUE) * scale, top + chosen * row, (end - now - ISSUE) * scale,
                 row - 2, "k2");
    }
    return busy;
}

void figure_draw_hiding(void) {
    static const int counts[] = {1, 4, 14};
    enum { LEFT = 80, ROW = 11 };
    double top = 44, scale = 560.0 / SPAN;
    begin_figure(760, 44 + 19 * ROW + 3 * 26,
                 "A scheduler with 1, 4 and 14 warps over time: issuing and waiting");
    put_text(LEFT, 20, "t",
             "%d instructions of %d cycles, then a load of %d cycles (green: issues, "
             "orange: waits)",
             INSTRUCTIONS, ISSUE, MEMORY);
    for (int c = 0; c < 3; c++) {
        int busy = draw_schedule(counts[c], LEFT, top, ROW, scale);
        put_text(LEFT - 8, top + 8, "v e", "%d warp%s", counts[c], counts[c] == 1 ? "" : "s");
        put_text(LEFT + SPAN * scale + 10, top + 8, "v", "issues in %d %%", 100 * busy / SPAN);
        top += counts[c] * ROW + 24;
    }
}

// ---- Double buffering: load the next tile while this one is used ----

void figure_draw_double_buffer(void) {
    enum { TILES = 4, LOAD = 70, USE = 90, LEFT = 120, HEIGHT = 22 };
    begin_figure(760, 176, "Loading and using tiles, one after the other and overlapped");
    put_text(LEFT, 20, "t", "one buffer: load, wait, use");
    put_text(LEFT, 98, "t", "two buffers: the next tile is loaded while this one is used");
    for (int i = 0; i < TILES; i++) {
        double serial = LEFT + i * (LOAD + USE), over = LEFT + LOAD + i * USE;
        put_rect(serial, 28, LOAD - 2, HEIGHT, "k2");
        put_text(serial + LOAD / 2.0, 43, "v m", "load %d", i);
        put_rect(serial + LOAD, 28 + HEIGHT + 2, USE - 2, HEIGHT, "k1");
        put_text(serial + LOAD + USE / 2.0, 67, "v m", "use %d", i);
        double load = i == 0 ? LEFT : over - USE;
        put_rect(load, 106, LOAD - 2, HEIGHT, "k2");
        put_text(load + LOAD / 2.0, 121, "v m", "load %d", i);
        put_rect(over, 106 + HEIGHT + 2, USE - 2, HEIGHT, "k1");
        put_text(over + USE / 2.0, 145, "v m", "use %d", i);
    }
    put_text(LEFT - 8, 43, "v e", "memory");
    put_text(LEFT - 8, 67, "v e", "arithmetic");
    put_text(LEFT - 8, 121, "v e", "memory");
    put_text(LEFT - 8, 145, "v e", "arithmetic");
}
