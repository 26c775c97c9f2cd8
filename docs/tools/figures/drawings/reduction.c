// Lab 02's deck: what the banks do to step 2, how a shuffle reduces a warp, and how the last block
// finds out that it is the last. See figure.h. Wavefronts are asked of the simulator's own rule.
#include "figures/figure.h"
#include "memory/access.h"

enum { LANES = SIM_ACCESS_LANES, THREADS = 256 };

// Wavefronts of the first warp's load of word step * t in an iteration in which `active` threads
// add.
static unsigned wavefronts_of(int step, int active) {
    uint64_t offsets[LANES] = {0};
    uint32_t mask = active >= LANES ? UINT32_MAX : (1u << active) - 1;
    for (int l = 0; l < LANES; l++) offsets[l] = (uint64_t)(step * l) * SIM_BANK_BYTES;
    return sim_access_banks(offsets, mask, SIM_BANK_BYTES).wavefronts;
}

void figure_draw_strided_banks(void) {
    enum { LEFT = 130, ROW = 30, UNIT = 26 };
    begin_figure(760, 40 + 8 * ROW,
                 "Wavefronts of a load in the eight iterations of steps 2 and 3");
    put_text(LEFT, 18, "t", "step 2: word 2 * stride * t");
    put_text(LEFT + 330, 18, "t", "step 3: word t");
    for (int i = 0; i < 8; i++) {
        double y = 30 + i * ROW;
        int active = THREADS >> (i + 1), most = active < LANES ? active : LANES;
        unsigned strided = wavefronts_of(2 << i, active), sequential = wavefronts_of(1, active);
        put_text(LEFT - 10, y + 14, "v e", "%d thread%s", active, active == 1 ? " adds" : "s add");
        for (unsigned w = 0; w < strided; w++)
            put_rect(LEFT + w * UNIT, y, UNIT - 2, 20, w == 0 ? "good" : "bad");
        put_text(LEFT + strided * UNIT + 6, y + 14, "v", "%u", strided);
        for (unsigned w = 0; w < sequential; w++)
            put_rect(LEFT + 330 + w * UNIT, y, UNIT - 2, 20, "good");
        put_text(LEFT + 330 + sequential * UNIT + 6, y + 14, "v",
                 "%u (%d active thread%s in the warp)", sequential, most, most == 1 ? "" : "s");
    }
}

// Five shuffles: down, of which lane 0 has the result, or by XOR, of which all lanes have it.
static void draw_shuffles(bool by_xor, const char *title, const char *what) {
    enum { LEFT = 96, CELL = 20, ROW = 40 };
    int holds[LANES];
    for (int l = 0; l < LANES; l++) holds[l] = 1;
    begin_figure(760, 50 + 6 * ROW, title);
    put_text(LEFT, 18, "t", "%s", what);
    for (int row = 0; row <= 5; row++) {
        int distance = LANES >> row, matter = by_xor ? LANES : distance;
        double y = 30 + row * ROW;
        if (row == 0) put_text(LEFT - 10, y + 17, "v e", "at first");
        else put_text(LEFT - 10, y + 17, "v e", "after %d", distance);
        for (int l = 0; row > 0 && l < matter; l++)
            holds[l] += by_xor ? holds[l] : holds[l + distance];
        for (int l = 0; l < LANES; l++) {
            put_rect(LEFT + l * CELL, y, CELL - 2, 26, l < matter ? "k1" : "cell");
            if (l < matter)
                put_text(LEFT + l * CELL + CELL / 2.0 - 1, y + 17, "v m", "%d", holds[l]);
        }
    }
}

void figure_draw_shuffle(void) {
    draw_shuffles(false,
                  "How many values each lane's register holds the sum of, after each "
                  "shuffle: after the fifth, lane 0 has the sum of all 32",
                  "values that a lane's register is the sum of");
}

void figure_draw_butterfly(void) {
    draw_shuffles(true,
                  "Of how many values each lane's register holds the largest, after each "
                  "shuffle: after the fifth, every lane has the largest of all 32",
                  "values of which a lane's register holds the largest");
}

void figure_draw_last_block(void) {
    enum { BLOCKS = 5, LEFT = 110, ROW = 46, UNIT = 60 };
    static const double ends[BLOCKS] = {4.2, 3.1, 5.0, 3.6, 4.6}; // any order may come
    begin_figure(760, 50 + BLOCKS * ROW, "Blocks that end in any order, and the last one");
    put_text(LEFT, 18, "t", "each block: sum, store, fence, ticket");
    for (int b = 0; b < BLOCKS; b++) {
        double y = 32 + b * ROW, x = LEFT + ends[b] * UNIT;
        int ticket = 0;
        for (int other = 0; other < BLOCKS; other++) ticket += ends[other] < ends[b];
        put_text(LEFT - 10, y + 18, "v e", "block %d", b);
        put_rect(LEFT, y, ends[b] * UNIT - 2, 28, "k0");
        put_text(LEFT + 12, y + 18, "v", "sum of its share");
        put_rect(x, y, 96, 28, "k2");
        put_text(x + 48, y + 18, "v m", "ticket %d of %d", ticket, BLOCKS - 1);
        if (ticket < BLOCKS - 1) continue;
        put_rect(x + 98, y, 170, 28, "k1");
        put_text(x + 183, y + 18, "v m", "the last: adds all, in order");
    }
}

// Lab 11's deck: eight elements on their way to their sums, by doubling and by a tree: figure.h.

enum { ELEMENTS = 8, WIDTH = 640, LEFT = 110, CELL = 40, BOX = 22, TOP = 32 };
enum { DOUBLING = 60, TREE = 37 }; // px from one row to the next

static const int given[ELEMENTS] = {3, 1, 7, 0, 4, 1, 6, 3};

static double middle_of(int element) { return LEFT + element * CELL + (CELL - 4) / 2.0; }

// A row of values; those in `changed` are coloured with `shape`.
static void put_row(int pitch, int row, const char *name, const int values[ELEMENTS],
                    const bool changed[ELEMENTS], const char *shape, const char *what) {
    double y = TOP + row * pitch;
    put_text(LEFT - 12, y + 15, "v e", "%s", name);
    for (int i = 0; i < ELEMENTS; i++) {
        put_rect(LEFT + i * CELL, y, CELL - 4, BOX, changed[i] ? shape : "cell");
        put_text(middle_of(i), y + 15, "v m", "%d", values[i]);
    }
    put_text(LEFT + ELEMENTS * CELL + 10, y + 15, "v", "%s", what);
}

// What an element of a row takes from one of the row above.
static void put_step(int pitch, int row, int from, int to) {
    double above = TOP + (row - 1) * pitch + BOX + 1, below = TOP + row * pitch - 1;
    put_line(middle_of(from), above, middle_of(to), below, from == to ? "plain line" : "s2 line");
}

void figure_draw_scan_doubling(void) {
    static const char *const names[] = {"stride 1", "stride 2", "stride 4"};
    static const char *const sums[] = {"sums of 2", "sums of 4", "sums of 8"};
    bool changed[ELEMENTS] = {false};
    int values[ELEMENTS], before[ELEMENTS];
    memcpy(values, given, sizeof values);
    begin_figure(WIDTH, TOP + 3 * DOUBLING + BOX + 10,
                 "A scan of eight elements by doubling: each adds what lies 1, 2 and 4 before");
    put_text(LEFT, 18, "t", "each element adds what lies 1, then 2, then 4 before it");
    put_row(DOUBLING, 0, "x", values, changed, "cell", "");
    for (int k = 0; k < 3; k++) {
        int stride = 1 << k;
        memcpy(before, values, sizeof before);
        for (int i = 0; i < ELEMENTS; i++) {
            changed[i] = i >= stride;
            if (!changed[i]) continue;
            values[i] = before[i] + before[i - stride];
            put_step(DOUBLING, k + 1, i - stride, i);
            put_step(DOUBLING, k + 1, i, i);
        }
        put_row(DOUBLING, k + 1, names[k], values, changed, "k0", sums[k]);
    }
}

void figure_draw_scan_tree(void) {
    static const char *const down[] = {"halves", "quarters", "elements"};
    int values[ELEMENTS], row = 0;
    bool changed[ELEMENTS] = {false};
    memcpy(values, given, sizeof values);
    begin_figure(WIDTH, TOP + 7 * TREE + BOX + 10,
                 "A scan of eight elements by a tree: sums of pieces on the way up, then what "
                 "lies before each piece on the way down");
    put_text(LEFT, 18, "t", "blue: sums of pieces, up; orange: what lies before a piece, down");
    put_row(TREE, row++, "x", values, changed, "cell", "");
    for (int stride = 1; stride < ELEMENTS; stride *= 2, row++) {
        for (int i = 0; i < ELEMENTS; i++) {
            changed[i] = (i + 1) % (2 * stride) == 0;
            if (!changed[i]) continue;
            values[i] += values[i - stride];
            put_step(TREE, row, i - stride, i);
            put_step(TREE, row, i, i);
        }
        put_row(TREE, row, stride == 1 ? "up" : "", values, changed, "k0",
                stride == 1   ? "pieces of 2"
                : stride == 2 ? "pieces of 4"
                              : "the sum of all");
    }
    memset(changed, 0, sizeof changed);
    changed[ELEMENTS - 1] = true;
    values[ELEMENTS - 1] = 0;
    put_row(TREE, row++, "", values, changed, "k2", "nothing lies before all");
    for (int k = 0, stride = ELEMENTS / 2; k < 3; k++, stride /= 2, row++) {
        memset(changed, 0, sizeof changed);
        for (int i = 2 * stride - 1; i < ELEMENTS; i += 2 * stride) {
            int left = values[i - stride];
            values[i - stride] = values[i]; // the left half has the same before it
            values[i] += left;
            changed[i] = changed[i - stride] = true;
            put_step(TREE, row, i - stride, i);
            put_step(TREE, row, i, i);
            put_step(TREE, row, i, i - stride);
        }
        put_row(TREE, row, k == 0 ? "down" : "", values, changed, "k2", down[k]);
    }
}
