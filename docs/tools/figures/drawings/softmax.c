// Lab 06's deck: rows on the lanes of a warp, how often a row is read, pairs of largest element and
// sum that are merged, a row that blocks share, and blocks that alternate. See figure.h.
#include "device/device.h"
#include "figures/figure.h"
#include "stored/stored.h"

enum { WIDTH = 640, LANES = 32 };

// ---- Rows of 16 elements on the lanes of a warp ----

void figure_draw_warp_rows(void) {
    enum { LEFT = 112, CELL = 16, COLUMNS = 16, ROW = 92, TOP = 34, LOW = 24 };
    begin_figure(WIDTH, 3 * ROW + TOP - 6,
                 "Which element of which row each lane has, with one, two and four rows per warp");
    put_text(LEFT, 18, "t", "a warp's first load, rows of 16 elements; column numbers");
    for (int p = 0; p < 3; p++) {
        int rows = 1 << p, lanes = LANES / rows, idle = 0;
        double y = TOP + p * ROW;
        for (int l = 0; l < LANES; l++) {
            int column = l % lanes;
            char kind[3] = {'k', (char)('0' + l / lanes), '\0'};
            bool has = column < COLUMNS;
            idle += !has;
            put_rect(LEFT + l * CELL, y, CELL - 2, LOW, has ? kind : "cell");
            if (has) put_text(LEFT + (l + 0.5) * CELL - 1, y + 16, "v m", "%d", column);
        }
        put_text(LEFT - 8, y + 16, "v e", "%d row%s per warp", rows, rows == 1 ? "" : "s");
        for (int r = 0; r < rows; r++)
            put_text(LEFT + (r + 0.5) * lanes * CELL, y + 42, "v m",
                     lanes > 8 ? "row r + %d" : "r + %d", r);
        put_text(LEFT, y + 62, "v",
                 "%d of 32 lanes idle; %d load%s per row of 16; %d shuffles per reduction", idle,
                 (COLUMNS + lanes - 1) / lanes, COLUMNS > lanes ? "s" : "", (int)log2(lanes));
    }
}

// ---- How often a row is read ----

void figure_draw_row_passes(void) {
    enum { LEFT = 112, PASS = 122, ROW = 74, TOP = 44, STEPS = 3 };
    static const struct {
        const char *name, *passes[4];
    } steps[STEPS] = {{"0 to 6", {"read: largest", "read: sum", "read: divide", "write"}},
                      {"7 online", {"read: both", "read: divide", "write"}},
                      {"8 cached", {"read, and keep", "write"}}};
    begin_figure(WIDTH, TOP + STEPS * ROW, "How often each step reads and writes a row");
    put_text(8, 18, "t", "what becomes of a row of the matrix");
    for (int s = 0; s < STEPS; s++) {
        double y = TOP + s * ROW;
        put_text(LEFT - 8, y + 28, "v e", "%s", steps[s].name);
        for (int p = 0; p < 4 && steps[s].passes[p]; p++) {
            bool writes = steps[s].passes[p][0] == 'w';
            put_rect(LEFT + p * PASS, y, PASS - 4, 46, writes ? "k1" : "k2");
            put_text(LEFT + (p + 0.5) * PASS - 2, y + 28, "v m", "%s", steps[s].passes[p]);
        }
    }
}

// ---- Rows, and what one SM can keep ----

void figure_draw_row_sizes(void) {
    enum { LEFT = 130, TOP = 62, ROW = 38, HIGH = 26, ROWS = 6, SPAN = 400 };
    enum { FIRST = 8192, KIB = 1024 / sizeof(float) }; // floats
    const sim_device *device = sim_device_find(card_id);
    double registers = device->registers_per_sm * 4.0 / 1024;
    double shared = device->shared_bytes_per_block_optin / 1024.0,
           most = (FIRST << 5) / (double)KIB;
    double scale = SPAN / log2(most / 16);
    begin_figure(WIDTH, TOP + ROWS * ROW + 8, "Rows beside the memories of an SM");
    put_text(8, 18, "t", "KiB of a row (logarithmic), and what one SM has (%s)", device->name);
    for (int i = 0; i < ROWS; i++) {
        int columns = FIRST << i;
        double kib = columns / (double)KIB, y = TOP + i * ROW, width = log2(kib / 16) * scale;
        put_text(LEFT - 8, y + 18, "v e", "%d columns", columns);
        put_rect(LEFT, y, width, HIGH, kib <= shared ? "k1" : "k2");
        put_text(LEFT + 8, y + 18, "v", "%.0f", kib);
    }
    for (int m = 0; m < 2; m++) {
        double at = LEFT + log2((m == 0 ? shared : registers) / 16) * scale;
        put_line(at, TOP - 8, at, TOP + ROWS * ROW - 6, "dash");
        put_text(at + (m == 0 ? -4 : 4), TOP - 14, m == 0 ? "v e" : "v", "%s %.0f",
                 m == 0 ? "shared memory of a block" : "registers", m == 0 ? shared : registers);
    }
}

// ---- exp with and without the largest element ----

void figure_draw_largest_first(void) {
    enum { COUNT = 5, LEFT = 150, CELL = 92, ROW = 62, TOP = 60 };
    static const float x[COUNT] = {100.0f, 98.0f, 101.0f, 99.0f, 97.0f};
    float most = -INFINITY, sum = 0;
    for (int i = 0; i < COUNT; i++) most = fmaxf(most, x[i]);
    for (int i = 0; i < COUNT; i++) sum += expf(x[i] - most);
    begin_figure(WIDTH, TOP + 4 * ROW, "Softmax of five numbers, in single precision");
    put_text(8, 18, "t", "softmax of five numbers, in single precision; sum of row 3: %.3f", sum);
    static const char *const names[] = {"x", "exp(x)", "exp(x - largest)", "divided by the sum"};
    for (int r = 0; r < 4; r++) {
        double y = TOP - 20 + r * ROW;
        put_text(LEFT - 8, y + 24, "v e", "%s", names[r]);
        for (int i = 0; i < COUNT; i++) {
            float shifted = expf(x[i] - most);
            float value = r == 0 ? x[i] : r == 1 ? expf(x[i]) : r == 2 ? shifted : shifted / sum;
            const char *kind = isinf(value) ? "k2" : r == 3 ? "k1" : "k0";
            put_rect(LEFT + i * CELL, y, CELL - 4, 38, kind);
            put_text(LEFT + (i + 0.5) * CELL - 2, y + 24, "v m", r == 0 ? "%.0f" : "%.3f", value);
        }
    }
}

// ---- Pairs (m, s) are merged ----

typedef struct pair {
    double most, sum;
} pair;

static pair merge(pair a, pair b) {
    double most = fmax(a.most, b.most);
    return (pair){most, a.sum * exp(a.most - most) + b.sum * exp(b.most - most)};
}

static void put_pair(double x, double y, double width, pair p, const char *kind) {
    put_rect(x, y, width, 30, kind);
    put_text(x + width / 2, y + 20, "v m", "(%.0f, %.3f)", p.most, p.sum);
}

void figure_draw_online_merge(void) {
    enum { COUNT = 8, LEFT = 58, CELL = 71, ROW = 62, TOP = 40, HALF = COUNT / 2 };
    static const double x[COUNT] = {1, 3, 2, 0, 5, 4, 1, 5};
    pair level[COUNT];
    begin_figure(WIDTH, TOP + 4 * ROW + 26,
                 "Pairs of largest element and sum are merged, two at a time");
    put_text(LEFT, 18, "t", "(largest so far, sum of exp(x - largest))");
    put_text(LEFT - 8, TOP + 20, "v e", "x");
    put_text(LEFT - 8, TOP + ROW + 20, "v e", "pairs");
    for (int i = 0; i < COUNT; i++) {
        double at = LEFT + i * CELL;
        level[i] = (pair){x[i], 1};
        put_rect(at + 18, TOP, 28, 30, "cell");
        put_text(at + 32, TOP + 20, "v m", "%.0f", x[i]);
    }
    for (int count = COUNT / 2, row = 1; count >= 1; count /= 2, row++) {
        double span = (double)CELL * COUNT / count, y = TOP + row * ROW;
        for (int i = 0; i < count; i++) {
            double middle = LEFT + (i + 0.5) * span - 3, before = span / 4;
            level[i] = merge(level[2 * i], level[2 * i + 1]);
            put_arrow(middle - before, y - ROW + 32, middle - 14, y - 2);
            put_arrow(middle + before, y - ROW + 32, middle + 14, y - 2);
            put_pair(middle - 44, y, 88, level[i], count == 1 ? "k1" : "k0");
        }
    }
    put_text(LEFT, TOP + 3 * ROW + 58, "v",
             "(m, s) and (n, t): largest M = max(m, n), sum s exp(m - M) + t exp(n - M)");
}

// ---- A row in the blocks of a cluster ----

void figure_draw_cluster_row(void) {
    enum { BLOCKS = 4, LEFT = 20, PITCH = 153, BOX = 138, TOP = 92 };
    begin_figure(WIDTH, 296, "A row divided among the four blocks of a cluster");
    put_text(LEFT, 18, "t", "one row of the matrix, too long for one SM");
    for (int b = 0; b < BLOCKS; b++) {
        double x = LEFT + b * PITCH;
        char kind[3] = {'k', (char)('0' + b), '\0'};
        put_rect(x, 30, PITCH - 2, 28, kind);
        put_arrow(x + BOX / 2.0, 60, x + BOX / 2.0, TOP - 4);
        put_rect(x, TOP, BOX, 104, "cell");
        put_text(x + BOX / 2.0, TOP + 18, "t m", "block %d, an SM", b);
        put_rect(x + 8, TOP + 28, BOX - 16, 28, kind);
        put_text(x + BOX / 2.0, TOP + 47, "v m", "its part, kept");
        put_rect(x + 8, TOP + 64, BOX - 16, 28, "k6");
        put_text(x + BOX / 2.0, TOP + 83, "v m", "%d pairs (m, s)", BLOCKS);
        put_arrow(x + BOX / 2.0, TOP + 132, x + BOX / 2.0, TOP + 106);
    }
    put_line(LEFT + BOX / 2.0, TOP + 132, LEFT + 3 * PITCH + BOX / 2.0, TOP + 132, "axis");
    put_text(
        LEFT, TOP + 156, "v",
        "Each block writes its pair into the shared memory of all: 8 bytes per pair of blocks.");
    put_text(LEFT, TOP + 176, "v", "The elements themselves never move between SMs.");
}

// ---- Blocks of an SM alternate ----

// `blocks` blocks on an SM, each: load, compute, store, then its next row. Memory serves one of
// them at a time. Returns the share of the span in which it was busy.
static double draw_blocks(int blocks, double left, double top, double row, double scale) {
    enum { LOAD = 60, COMPUTE = 80, STORE = 60, SPAN = 800 };
    double ready[4] = {0}, memory = 0, busy = 0;
    bool loaded[4] = {false};
    for (;;) {
        int b = 0;
        for (int k = 1; k < blocks; k++)
            if (ready[k] < ready[b]) b = k;
        double from = fmax(ready[b], memory), take = loaded[b] ? STORE : LOAD;
        if (from + take > SPAN) break;
        double y = top + b * row;
        put_rect(left + from * scale, y, take * scale - 1, row - 4, loaded[b] ? "k1" : "k2");
        memory = from + take;
        busy += take;
        ready[b] = memory;
        if (!loaded[b]) {
            double end = fmin(memory + COMPUTE, SPAN);
            put_rect(left + memory * scale, y, (end - memory) * scale - 1, row - 4, "cell");
            ready[b] += COMPUTE;
        }
        loaded[b] = !loaded[b];
    }
    return busy / SPAN;
}

void figure_draw_alternating_blocks(void) {
    enum { LEFT = 84, ROW = 28 };
    double top = 44;
    begin_figure(WIDTH, 44 + 6 * ROW + 3 * 24, "One, two and three blocks on an SM");
    put_text(8, 18, "t", "orange: load, grey: compute and exchange, green: store");
    for (int blocks = 1; blocks <= 3; blocks++) {
        double busy = draw_blocks(blocks, LEFT, top, ROW, 0.52);
        put_text(LEFT - 8, top + 16, "v e", "%d block%s", blocks, blocks == 1 ? "" : "s");
        put_text(LEFT + 426, top + 16, "v", "memory busy: %.0f %%", 100 * busy);
        top += blocks * ROW + 22;
    }
}
