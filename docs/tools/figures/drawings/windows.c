// Lab 09's deck: the largest element of a window and the way back of its delta, the first delta of
// a softmax, and where in x the elements of a tile of columns lie. See figure.h. Elements are
// invented; what follows from them is computed by the lab's rules.
#include "figures/figure.h"

enum { WIDTH = 600, SIDE = 5, WINDOW = 2 };

// ---- Pooling, forward and backward ----

enum { ROWS = 4, COLUMNS = 8, CELL = 24, NOWHERE = WINDOW * WINDOW };

static const int inputs[ROWS][COLUMNS] = {{3, 1, -2, 5, -4, -1, 2, 2},
                                          {0, 7, 4, -3, -2, -6, 1, 8},
                                          {2, 2, -1, 0, 9, 3, -5, 1},
                                          {6, -3, 4, 4, 1, 0, 3, -2}};

// The first largest element above 0 of a window, as a number from 0 to 3; else NOWHERE.
static int chosen(int row, int column) {
    int best = 0, which = NOWHERE;
    for (int k = 0; k < NOWHERE; k++) {
        int value = inputs[WINDOW * row + k / WINDOW][WINDOW * column + k % WINDOW];
        if (value <= best) continue;
        best = value;
        which = k;
    }
    return which;
}

static void put_number(double x, double y, const char *shape, int number) {
    put_rect(x, y, CELL - 2, CELL - 2, shape);
    put_text(x + CELL / 2.0 - 1, y + 15, "v m", "%d", number);
}

static void draw_windows(double x, double y, bool back) {
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            int k = r % WINDOW * WINDOW + c % WINDOW, out = r / WINDOW * COLUMNS / WINDOW;
            bool mine = chosen(r / WINDOW, c / WINDOW) == k;
            put_number(x + c * CELL, y + r * CELL, mine ? back ? "k2" : "k1" : "cell",
                       !back  ? inputs[r][c]
                       : mine ? out + c / WINDOW + 1
                              : 0);
        }
    for (int r = 0; r < ROWS; r += WINDOW)
        for (int c = 0; c < COLUMNS; c += WINDOW)
            put_rect(x + c * CELL - 1, y + r * CELL - 1, WINDOW * CELL, WINDOW * CELL, "frame");
}

void figure_draw_pooling(void) {
    enum { TOP = 40, MIDDLE = 252, RIGHT = 396 };
    begin_figure(WIDTH, 240, "Windows of 2 x 2, their largest elements, the deltas back");
    put_text(12, 24, "t", "x");
    put_text(MIDDLE, 24, "t", "y: largest, or 0");
    put_text(MIDDLE, 114, "t", "where");
    put_text(RIGHT, 24, "t", "backward: dx");
    draw_windows(12, TOP, false);
    draw_windows(RIGHT, TOP, true);
    for (int r = 0; r < ROWS / WINDOW; r++)
        for (int c = 0; c < COLUMNS / WINDOW; c++) {
            int k = chosen(r, c), row = WINDOW * r + k / WINDOW, column = WINDOW * c + k % WINDOW;
            double x = MIDDLE + c * CELL;
            put_number(x, TOP + r * CELL, "k1", k == NOWHERE ? 0 : inputs[row][column]);
            put_number(x, TOP + 84 + r * CELL, "k3", k);
        }
    put_arrow(212, TOP + 46, 244, TOP + 46);
    put_arrow(354, TOP + 46, 388, TOP + 46);
    put_text(12, 206, "v",
             "where: 0 to 3 is the element in its window, %d means that none was above 0", NOWHERE);
    put_text(12, 224, "v",
             "of equal elements the first one is taken; the deltas are numbered from 1 to %d",
             ROWS * COLUMNS / NOWHERE);
}

// ---- The first delta ----

void figure_draw_first_delta(void) {
    enum { CLASSES = 10, LABEL = 3, LEFT = 60, UNIT = 52, TALL = 110, ZERO = 96 };
    static const double z[CLASSES] = {0.2, -1.1, 1.6, 1.1, -0.4, 0.3, -2.0, 0.9, -0.8, 0.0};
    double sum = 0;
    for (int k = 0; k < CLASSES; k++) sum += exp(z[k]);
    begin_figure(WIDTH, 240, "Probabilities of ten classes and the delta of each");
    put_text(LEFT, 20, "t", "an image of class %d: probabilities p, and p - y", LABEL);
    put_rect(LEFT + 380, 10, 12, 12, "k0");
    put_text(LEFT + 396, 20, "v", "p");
    put_rect(LEFT + 430, 10, 12, 12, "k2");
    put_text(LEFT + 446, 20, "v", "delta");
    put_line(LEFT - 6, ZERO, LEFT + CLASSES * UNIT, ZERO, "axis");
    put_text(LEFT - 12, ZERO + 4, "v e", "0");
    for (int k = 0; k < CLASSES; k++) {
        double p = exp(z[k]) / sum, delta = p - (k == LABEL), x = LEFT + k * UNIT;
        double height = fabs(delta) * TALL;
        put_rect(x, ZERO - p * TALL, 18, p * TALL, "k0");
        put_rect(x + 20, delta > 0 ? ZERO - height : ZERO, 18, height, "k2");
        put_text(x + 19, delta > 0 ? ZERO + 16 : ZERO - p * TALL - 8, "v m", "%d", k);
    }
    put_text(LEFT, 234, "v",
             "descent raises the logit of the label and lowers the others; the deltas add up "
             "to 0");
}

// ---- Where a tile of columns lies in x ----

void figure_draw_implicit(void) {
    enum { MAP = 12, ROW = 3, COLUMN = 4, SMALL = 15, DEPTH = 16, PIXELS = 24, MINE = 9 };
    const double tile = 320, top = 40;
    begin_figure(WIDTH, 258, "A tile of columns and the elements of x that it copies");
    put_text(16, 24, "t", "x: one channel, the window of a pixel");
    put_text(tile, 24, "t", "its column in the tile of %d k", DEPTH);
    for (int r = 0; r < MAP; r++)
        for (int c = 0; c < MAP; c++) {
            int i = r - ROW, j = c - COLUMN, k = i * SIDE + j;
            bool inside = i >= 0 && i < SIDE && j >= 0 && j < SIDE;
            double x = 16 + c * SMALL, y = top + r * SMALL;
            put_rect(x, y, SMALL - 1, SMALL - 1,
                     !inside || k >= DEPTH ? "cell"
                     : k % 2               ? "k1"
                                           : "k0");
            if (inside && k < DEPTH) put_text(x + 7, y + 10, "n m", "%d", k);
        }
    put_rect(16 + COLUMN * SMALL - 1, top + ROW * SMALL - 1, SIDE * SMALL + 1, SIDE * SMALL + 1,
             "frame");
    put_arrow(210, top + 80, 300, top + 80);
    for (int k = 0; k < DEPTH; k++)
        for (int p = 0; p < PIXELS; p++) {
            double x = tile + p * 11, y = top + k * 11;
            put_rect(x, y, 10, 10, p != MINE ? "cell" : k % 2 ? "k1" : "k0");
            if (p == 0) put_text(x - 4, y + 9, "n e", "%d", k);
        }
    put_text(16, 232, "v",
             "blue: loaded by one thread, green: by another. Both keep this pixel, since 128 "
             "threads are");
    put_text(16, 249, "v",
             "twice the 64 pixels of a tile: the next element of a thread is 2 k further on");
}
