// Lab 00's deck: which thread has which element, a tile with its neighbour, one address against
// many in constant and shared memory, the lanes of steps 9 and 10. See figure.h. Accesses and
// wavefronts are asked of the simulator's own rules.
#include "figures/figure.h"
#include "memory/access.h"

enum { LANES = SIM_ACCESS_LANES, FLOAT = 4, WIDTH = 600 };
#define ALL_LANES UINT32_MAX

static void put_shape(double x, double y, double width, double height, int kind) {
    char shape[] = "k0";
    shape[1] = (char)('0' + kind % KL_PAPER_KINDS);
    put_rect(x, y, width, height, shape);
}

void figure_draw_first_index(void) {
    enum { ELEMENTS = 14, THREADS = 4, LEFT = 140, CELL = 32, ROW = 66, COUNT = 4 };
    static const struct {
        const char *name, *launch;
        int blocks, threads;
    } steps[COUNT] = {{"0 one thread", "<<<1, 1>>>", 1, 1},
                      {"1 one block", "<<<1, 4>>>", 1, THREADS},
                      {"2 grid", "<<<4, 4>>>", 4, THREADS},
                      {"3 grid stride", "<<<2, 4>>>", 2, THREADS}};
    begin_figure(WIDTH, 36 + COUNT * ROW, "Block and thread of each element, steps 0 to 3");
    put_text(LEFT, 18, "t", "elements by block (colour) and thread (number)");
    for (int s = 0; s < COUNT; s++) {
        double y = 34 + s * ROW;
        int all = steps[s].blocks * steps[s].threads;
        put_text(LEFT - 10, y + 14, "v e", "%s", steps[s].name);
        put_text(LEFT - 10, y + 30, "v e", "%s", steps[s].launch);
        for (int i = 0; i < ELEMENTS; i++) {
            int thread = i % all;
            put_shape(LEFT + i * CELL, y, CELL - 2, 34, thread / steps[s].threads);
            put_text(LEFT + i * CELL + CELL / 2.0 - 1, y + 21, "v m", "%d",
                     thread % steps[s].threads);
        }
    }
}

void figure_draw_first_tile(void) {
    enum { BLOCK = 8, CELL = 40, X = 110, FIRST = 16 };
    begin_figure(WIDTH, 262, "A block's elements, its tile, and the differences");
    put_text(X - 10, 48, "v e", "x, global");
    put_text(X - 10, 138, "v e", "tile, shared");
    put_text(X - 10, 228, "v e", "y, global");
    put_text(X, 18, "t", "blocks of 8 threads; block 2 owns elements 16 to 23");
    for (int i = 0; i <= BLOCK; i++) {
        double x = X + i * CELL;
        put_shape(x, 30, CELL - 2, 28, i == 0 ? 2 : 0);
        put_text(x + CELL / 2.0, 48, "v m", "%d", FIRST - 1 + i);
        put_arrow(x + CELL / 2.0, 60, x + CELL / 2.0, 118);
        put_shape(x, 120, CELL - 2, 28, i == 0 ? 2 : 0);
        put_text(x + CELL / 2.0, 138, "v m", "%d", i);
        if (i == 0) continue;
        put_arrow(x + CELL / 2.0, 150, x + CELL / 2.0, 208);
        put_arrow(x - CELL / 2.0, 150, x + CELL / 2.0 - 8, 208);
        put_shape(x, 210, CELL - 2, 28, 1);
        put_text(x + CELL / 2.0, 228, "v m", "%d", FIRST - 1 + i);
    }
    put_line(X - 6, 164, X + (BLOCK + 1) * CELL + 60, 164, "dash s2 line");
    put_text(X + (BLOCK + 1) * CELL + 8, 158, "v", "__syncthreads()");
}

// Indices as a random table look-up has them, always the same ones.
static unsigned index_of(int lane) {
    uint32_t x = (uint32_t)(lane + 1) * 2654435761u;
    return (x >> 16) % 256;
}

void figure_draw_first_lookup(void) {
    enum { LEFT = 130, CELL = 11, COUNT = 4, ROW = 60 };
    begin_figure(WIDTH, 40 + COUNT * ROW, "Accesses of a request in constant and shared memory");
    put_text(LEFT, 18, "t", "one look-up by a warp: what is served at a time");
    for (int row = 0; row < COUNT; row++) {
        uint64_t addresses[LANES];
        int random = row % 2, shared = row / 2;
        double y = 34 + row * ROW;
        for (int l = 0; l < LANES; l++) addresses[l] = (uint64_t)(random ? index_of(l) : 3) * FLOAT;
        unsigned taken = shared ? sim_access_banks(addresses, ALL_LANES, FLOAT).wavefronts
                                : sim_access_constant_words(addresses, ALL_LANES);
        put_text(LEFT - 10, y + 14, "v e", "%s", shared ? "shared memory" : "constant memory");
        put_text(LEFT - 10, y + 30, "v e", "%s", random ? "random index" : "one index");
        for (unsigned t = 0; t < (unsigned)LANES; t++)
            put_rect(LEFT + t * CELL, y, CELL - 1, 32,
                     t < taken ? taken > 4 ? "bad" : "good" : "cell");
        put_text(LEFT + LANES * CELL + 8, y + 20, "v", "%u %s%s", taken,
                 shared ? "wavefront" : "access",
                 taken == 1 ? ""
                 : shared   ? "s"
                            : "es");
    }
}

void figure_draw_even_odd(void) {
    enum { LEFT = 80, CELL = 12, WARPS = 8, ROW = 15, PANEL = 160 };
    begin_figure(WIDTH, 2 * PANEL, "Paths of the lanes of eight warps in steps 9 and 10");
    for (int panel = 0; panel < 2; panel++) {
        double top = 28 + panel * PANEL;
        put_text(LEFT, top - 10, "t", "%s",
                 panel == 0 ? "step 9: thread t has element t"
                            : "step 10: warps 0 to 3 the even elements, 4 to 7 the odd ones");
        for (int w = 0; w < WARPS; w++) {
            int paths = panel == 0 ? 2 : 1;
            put_text(LEFT - 8, top + w * ROW + 11, "v e", "warp %d", w);
            for (int l = 0; l < LANES; l++)
                put_shape(LEFT + l * CELL, top + w * ROW, CELL - 1, ROW - 2,
                          panel == 0 ? l % 2 * 2 : w / (WARPS / 2) * 2);
            put_text(LEFT + LANES * CELL + 10, top + w * ROW + 11, "v", "%d path%s", paths,
                     paths == 1 ? "" : "s");
        }
    }
}
