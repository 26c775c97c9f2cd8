// Decks of labs 01 and 02: the two sides of a transposition without and with a tile, where an
// output row begins inside its sectors, and the tree of a block by the thread that adds. See
// figure.h. Sectors are asked of the simulator's own rules.
#include "figures/figure.h"
#include "memory/access.h"

enum { WIDTH = 760, LANES = SIM_ACCESS_LANES, FLOAT = 4, SECTOR = 32 };
#define ALL_LANES UINT32_MAX

// ---- Lab 01 ----

// A matrix of SIDE x SIDE cells; of them row or column `line` in kind `shape`.
static void put_matrix(double x, double y, int side, double cell, int line, bool column,
                       const char *shape) {
    for (int r = 0; r < side; r++)
        for (int c = 0; c < side; c++)
            put_rect(x + c * cell, y + r * cell, cell - 2, cell - 2,
                     (column ? c : r) == line ? shape : "cell");
}

// Sectors of a request in which lane l has the float with index l * apart.
static unsigned sectors_of(int apart) {
    uint64_t addresses[LANES];
    for (int l = 0; l < LANES; l++) addresses[l] = (uint64_t)l * (uint64_t)apart * FLOAT;
    return sim_access_sectors(addresses, ALL_LANES, FLOAT);
}

void figure_draw_transpose_naive(void) {
    enum { SIDE = 8, CELL = 24, LEFT = 60, RIGHT = 460, TOP = 44, APART = 4096 };
    begin_figure(WIDTH, TOP + SIDE * CELL + 36,
                 "What a warp reads and writes in the naive transposition");
    put_text(LEFT, 20, "t", "in: a warp reads part of a row");
    put_text(RIGHT, 20, "t", "out: it writes part of a column");
    put_matrix(LEFT, TOP, SIDE, CELL, 2, false, "good");
    put_matrix(RIGHT, TOP, SIDE, CELL, 2, true, "bad");
    put_arrow(LEFT + SIDE * CELL + 14, TOP + 2.5 * CELL, RIGHT - 14, TOP + 2.5 * CELL);
    put_text(LEFT, TOP + SIDE * CELL + 20, "v", "%u sectors per request", sectors_of(1));
    put_text(RIGHT, TOP + SIDE * CELL + 20, "v", "%u sectors per request", sectors_of(APART));
}

void figure_draw_transpose_tile(void) {
    enum { SIDE = 6, CELL = 18, LEFT = 30, MIDDLE = 310, RIGHT = 590, TOP = 44, LINE = 2 };
    const double row = TOP + (LINE + 0.5) * CELL;
    begin_figure(WIDTH, TOP + SIDE * CELL + 32,
                 "The transposition through a tile: rows in, columns out, written as rows");
    put_text(LEFT, 20, "t", "in: a row");
    put_text(MIDDLE, 20, "t", "tile, in shared memory");
    put_text(RIGHT, 20, "t", "out: a row");
    put_matrix(LEFT, TOP, SIDE, CELL, LINE, false, "good");
    put_matrix(RIGHT, TOP, SIDE, CELL, LINE, false, "good");
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++)
            put_rect(MIDDLE + c * CELL, TOP + r * CELL, CELL - 2, CELL - 2,
                     r == LINE && c == LINE ? "k3"
                     : r == LINE            ? "k0"
                     : c == LINE            ? "k1"
                                            : "cell");
    put_arrow(LEFT + SIDE * CELL + 12, row, MIDDLE - 12, row);
    put_arrow(MIDDLE + SIDE * CELL + 12, row, RIGHT - 12, row);
    put_text((LEFT + SIDE * CELL + MIDDLE) / 2.0, row - 10, "v m", "write a row");
    put_text((MIDDLE + SIDE * CELL + RIGHT) / 2.0, row - 10, "v m", "read a column");
    put_text(LEFT, TOP + SIDE * CELL + 20, "v", "%u sectors per request", sectors_of(1));
    put_text(RIGHT, TOP + SIDE * CELL + 20, "v", "%u sectors per request", sectors_of(1));
    put_text(MIDDLE, TOP + SIDE * CELL + 20, "v", "between them: __syncthreads()");
}

void figure_draw_sector_start(void) {
    enum {
        ELEMENTS = 32,
        PER_SECTOR = SECTOR / FLOAT,
        FIRST = 5,
        COUNT = 16,
        CELL = 16,
        LEFT = 110,
        TOP = 46,
        ROW = 44
    };
    begin_figure(WIDTH, TOP + 3 * ROW + 20,
                 "An output row's part of a tile against its sectors, in steps 5 and 6");
    put_text(LEFT, 18, "t", "an output row, %d floats per sector", PER_SECTOR);
    for (int row = 0; row < 3; row++) {
        static const char *const names[] = {"sectors", "step 5", "step 6"};
        double y = TOP + row * ROW;
        int from = row == 1 ? FIRST : FIRST / PER_SECTOR * PER_SECTOR, parts = 0;
        put_text(LEFT - 12, y + 17, "v e", "%s", names[row]);
        for (int i = 0; i < ELEMENTS; i++) {
            bool own = row > 0 && i >= from && i < from + COUNT;
            put_rect(LEFT + i * CELL, y, CELL - 2, 26,
                     row == 0 ? (i / PER_SECTOR % 2 ? "k0" : "k1")
                     : own    ? row == 1 ? "bad" : "good"
                              : "cell");
        }
        for (int s = 0; s * PER_SECTOR < ELEMENTS; s++) {
            int begin = s * PER_SECTOR, end = begin + PER_SECTOR;
            int held = (end < from + COUNT ? end : from + COUNT) - (begin > from ? begin : from);
            parts += held > 0 && held < PER_SECTOR;
        }
        if (row > 0)
            put_text(LEFT + ELEMENTS * CELL + 10, y + 17, "v",
                     parts == 0 ? "whole sectors" : "%d sectors in part", parts);
    }
}

// ---- Lab 02 ----

// Where thread t works in an iteration, and on which element it adds.
typedef struct adding {
    bool works;
    int at, other;
} adding;

static adding adding_of(int step, int thread, int iteration, int elements) {
    int stride = step == 3 ? elements >> (iteration + 1) : 1 << iteration;
    if (step == 1)
        return (adding){thread % (2 * stride) == 0 && thread < elements, thread, thread + stride};
    if (step == 2)
        return (adding){2 * stride * (thread + 1) <= elements, 2 * stride * thread,
                        2 * stride * thread + stride};
    return (adding){thread < stride, thread, thread + stride};
}

int figure_draw_block_tree(const char *word) {
    enum { ELEMENTS = 16, ITERATIONS = 4, LEFT = 96, CELL = 40, ROW = 38, TOP = 32, BOX = 20 };
    static const char *const titles[] = {"step 1: thread t adds to element t",
                                         "step 2: the first threads add the pairs",
                                         "step 3: the first half adds the second half"};
    int step = atoi(word);
    if (step < 1 || step > 3) {
        fputs("ladder-docs figure: --block-tree 1, 2 or 3\n", stderr);
        return 1;
    }
    begin_figure(WIDTH, TOP + ITERATIONS * ROW + BOX + 8,
                 "The sums of a block of sixteen elements, with the thread that adds");
    put_text(LEFT, 18, "t", "%s; the number is the thread that adds", titles[step - 1]);
    for (int i = 0; i < ELEMENTS; i++) {
        put_rect(LEFT + i * CELL, TOP, CELL - 4, BOX, "cell");
        put_text(LEFT + i * CELL + CELL / 2.0 - 2, TOP + 14, "v m", "x[%d]", i);
    }
    for (int k = 0; k < ITERATIONS; k++) {
        double y = TOP + (k + 1) * ROW, above = y - ROW + BOX + 2;
        put_text(LEFT - 12, y + 14, "v e", "iteration %d", k + 1);
        for (int t = 0; t < ELEMENTS; t++) {
            adding a = adding_of(step, t, k, ELEMENTS);
            if (!a.works) continue;
            double x = LEFT + a.at * CELL + CELL / 2.0 - 2;
            put_arrow(x, above, x, y - 4);
            // Parallel lines so close that none can be followed: the first and the last are enough.
            bool shown = step < 3 || t == 0 || t + 1 == a.other - a.at;
            if (shown)
                put_line(LEFT + a.other * CELL + CELL / 2.0 - 2, above, x + 6, y - 7, "s2 line");
            put_rect(LEFT + a.at * CELL, y, CELL - 4, BOX, "k0");
            put_text(x, y + 14, "v m", "%d", t);
        }
    }
    kl_paper_end(stdout);
    return 0;
}
