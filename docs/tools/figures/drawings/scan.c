// Lab 11's deck: eight elements on their way to their sums, by doubling and by a tree: figure.h.
#include "figures/figure.h"

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
