// Lab 09's deck: the layers of the network, a window of a convolution, the matrix of columns, what
// a thread of the fused kernel keeps, the way of the deltas, launches of a batch. See figure.h.
// Sizes of layers and numbers of elements follow from the rules drawn here.
#include "figures/figure.h"

enum { WIDTH = 600, SIDE = 5, WINDOW = 2 };

// ---- Layers ----

typedef struct volume {
    int channels, side;
    const char *text;
} volume;

static double draw_volume(double x, double middle, const volume *v) {
    double side = v->side * 2.9 + 12, shift = v->channels > 12 ? 12 : v->channels;
    for (int k = (int)shift; k >= 0; k -= 3) {
        put_rect(x + k, middle - side / 2 - k, side, side, "k0");
        put_rect(x + k, middle - side / 2 - k, side, side, "frame");
    }
    put_text(x, middle + side / 2 + 16, "v", "%d x %d x %d", v->channels, v->side, v->side);
    put_text(x, middle - side / 2 - shift - 8, "v", "%s", v->text);
    return x + side + shift;
}

void figure_draw_layers(void) {
    enum { IMAGE = 28, FIRST = 16, SECOND = 32, HIDDEN = 128, CLASSES = 10, MIDDLE = 110 };
    volume volumes[5] = {{1, IMAGE, "image"}};
    int filters[2] = {FIRST, SECOND};
    for (int l = 0; l < 2; l++) {
        int side = volumes[2 * l].side - SIDE + 1;
        volumes[2 * l + 1] = (volume){filters[l], side, "convolution"};
        volumes[2 * l + 2] = (volume){filters[l], side / WINDOW, "ReLU, pool"};
    }
    begin_figure(WIDTH, 230, "The layers of the network, from the image to ten numbers");
    double x = 12;
    for (int v = 0; v < 5; v++) {
        double end = draw_volume(x, MIDDLE, &volumes[v]);
        x = end + 34;
        put_arrow(end + 5, MIDDLE, end + 29, MIDDLE);
    }
    int inputs = volumes[4].channels * volumes[4].side * volumes[4].side;
    put_rect(532, MIDDLE - 64, 12, 128, "k1");
    put_text(538, MIDDLE + 82, "v m", "%d", HIDDEN);
    put_arrow(548, MIDDLE, 566, MIDDLE);
    put_rect(570, MIDDLE - 20, 12, 40, "k2");
    put_text(576, MIDDLE + 38, "v m", "%d", CLASSES);
    put_text(12, 204, "v",
             "two convolutions of %d x %d; then fully connected: %d -> %d -> %d, softmax, "
             "cross-entropy",
             SIDE, SIDE, inputs, HIDDEN, CLASSES);
}

// ---- A convolution ----

static void draw_grid(double x, double y, int rows, int columns, double cell, const char *shape) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            put_rect(x + c * cell, y + r * cell, cell - 1, cell - 1, shape);
}

void figure_draw_convolution(void) {
    enum { X = 12, CELL = 17, ROW = 3, COLUMN = 4 };
    int out = X - SIDE + 1;
    begin_figure(WIDTH, 290, "One output of a convolution and the inputs that it takes");
    put_text(20, 24, "t", "x: a channel");
    draw_grid(20, 36, X, X, CELL, "cell");
    draw_grid(20 + COLUMN * CELL, 36 + ROW * CELL, SIDE, SIDE, CELL, "k0");
    put_rect(20 + (COLUMN + 1) * CELL, 36 + ROW * CELL, SIDE * CELL - 1, SIDE * CELL - 1, "frame");
    put_text(262, 100, "t", "w: a filter");
    draw_grid(262, 112, SIDE, SIDE, CELL, "k2");
    put_text(400, 58, "t", "y");
    draw_grid(400, 70, out, out, CELL, "cell");
    put_rect(400 + COLUMN * CELL, 70 + ROW * CELL, CELL - 1, CELL - 1, "k1");
    put_rect(400 + (COLUMN + 1) * CELL, 70 + ROW * CELL, CELL - 1, CELL - 1, "frame");
    put_arrow(232, 155, 256, 155);
    put_arrow(354, 155, 394, 155);
    put_text(20, 268, "v",
             "%d products per channel and output; the neighbour's window (frame) shares %d of "
             "its %d elements",
             SIDE * SIDE, SIDE * (SIDE - 1), SIDE * SIDE);
}

// ---- The matrix of columns ----

void figure_draw_im2col(void) {
    enum { X = 5, TAPS = 3, CELL = 20, SMALL = 15, COLUMN = 46 };
    int out = X - TAPS + 1;
    begin_figure(WIDTH, 232, "A small image and the matrix of columns made of it");
    put_text(14, 20, "t", "x, %d elements", X * X);
    for (int r = 0; r < X; r++)
        for (int c = 0; c < X; c++) {
            put_rect(14 + c * CELL, 32 + r * CELL, CELL - 1, CELL - 1,
                     r < TAPS && c < TAPS ? "k0" : "cell");
            put_text(14 + c * CELL + CELL / 2.0, 32 + r * CELL + 14, "v m", "%d", r * X + c);
        }
    put_text(160, 20, "t", "columns, %d elements: a column per output", TAPS * TAPS * out * out);
    for (int k = 0; k < TAPS * TAPS; k++)
        for (int p = 0; p < out * out; p++) {
            int element = (p / out + k / TAPS) * X + p % out + k % TAPS;
            put_rect(160 + p * COLUMN, 32 + k * SMALL, COLUMN - 1, SMALL - 1,
                     p == 0                 ? "k0"
                     : element == 2 * X + 2 ? "k2"
                                            : "cell");
            put_text(160 + (p + 0.5) * COLUMN, 32 + k * SMALL + 11, "v m", "%d", element);
        }
    put_text(14, 196, "v", "filters of %d x %d; blue: the window of the first output", TAPS, TAPS);
    put_text(14, 216, "v", "orange: the middle element of x, once in every window");
}

// ---- What a thread of the fused kernel keeps ----

void figure_draw_fused(void) {
    enum { PATCH = SIDE + 1, CELL = 26, FILTERS = 4 };
    begin_figure(WIDTH, 250, "A patch in registers, four outputs, the largest of them");
    put_text(20, 20, "t", "patch of x in registers");
    draw_grid(20, 34, PATCH, PATCH, CELL, "k0");
    put_rect(20, 34, SIDE * CELL - 1, SIDE * CELL - 1, "frame");
    put_rect(20 + CELL, 34 + CELL, SIDE * CELL - 1, SIDE * CELL - 1, "frame");
    put_text(230, 20, "t", "%d outputs x %d filters", WINDOW * WINDOW, FILTERS);
    for (int f = 0; f < FILTERS; f++)
        draw_grid(230 + f % 2 * 70.0, 40 + f / 2 * 74.0, WINDOW, WINDOW, CELL, "k2");
    put_text(424, 20, "t", "stored");
    for (int f = 0; f < FILTERS; f++)
        draw_grid(424 + f % 2 * 70.0, 52 + f / 2 * 74.0, 1, 1, CELL, "k1");
    put_arrow(184, 112, 222, 112);
    put_arrow(366, 112, 414, 112);
    put_text(372, 100, "v", "max");
    put_text(20, 218, "v", "%d loads of x per channel", PATCH * PATCH);
    put_text(230, 218, "v", "%d multiply-adds", WINDOW * WINDOW * FILTERS * SIDE * SIDE);
    put_text(424, 218, "v", "a quarter of the outputs,");
    put_text(424, 236, "v", "and where each was found");
}

// ---- Forward and backward ----

void figure_draw_deltas(void) {
    enum { COUNT = 5, BOX = 92, GAP = 24, TOP = 50, HEIGHT = 38 };
    static const char *const layers[COUNT] = {"conv 1", "conv 2", "fc 1", "fc 2", "softmax"};
    begin_figure(WIDTH, 262, "Outputs go forward, deltas go back, gradients at each layer");
    for (int l = 0; l < COUNT; l++) {
        double x = 16 + l * (BOX + GAP);
        put_rect(x, TOP, BOX, HEIGHT, "k0");
        put_text(x + BOX / 2.0, TOP + 24, "v m", "%s", layers[l]);
        put_rect(x, TOP + 72, BOX, HEIGHT, "k2");
        put_text(x + BOX / 2.0, TOP + 96, "v m", l < COUNT - 1 ? "delta" : "(P - Y) / N");
        put_arrow(x + BOX / 2.0 + 14, TOP + HEIGHT + 3, x + BOX / 2.0 + 14, TOP + 69);
        if (l == COUNT - 1) continue;
        put_arrow(x + BOX + 2, TOP + 19, x + BOX + GAP - 2, TOP + 19);
        put_arrow(x + BOX + GAP - 2, TOP + 91, x + BOX + 2, TOP + 91);
        put_rect(x, TOP + 144, BOX, HEIGHT, "k1");
        put_text(x + BOX / 2.0, TOP + 168, "v m", "dw, db");
        put_arrow(x + BOX / 2.0, TOP + 72 + HEIGHT + 3, x + BOX / 2.0, TOP + 141);
    }
    put_text(16, 22, "t", "forward: outputs are kept");
    put_text(16, TOP + 202, "v",
             "delta of the layer before = delta wᵀ, through its activation; "
             "gradient = inputᵀ delta");
}

// ---- Who adds to an element of dx ----

void figure_draw_collect(void) {
    enum { OUT = 5, TAPS = 3, CELL = 22, AT = 3 };
    int in = OUT + TAPS - 1;
    for (int panel = 0; panel < 2; panel++) {
        double x = 24 + panel * 300.0, top = 46;
        if (panel == 0)
            begin_figure(WIDTH, 280, "Scattering deltas, and collecting them, in one layer");
        put_text(x - 4, 18, "t", panel == 0 ? "seen from delta: scatter" : "seen from dx: collect");
        put_text(x - 4, 36, "v",
                 panel == 0 ? "each adds to 9 elements: atomics"
                            : "each thread adds what is its own");
        for (int r = 0; r < in; r++)
            for (int c = 0; c < in; c++) {
                int wanted = panel == 0 ? r >= 2 && r < 2 + TAPS && c >= 2 && c < 2 + TAPS
                                        : r == AT && c == AT;
                put_rect(x + c * CELL, top + r * CELL, CELL - 1, CELL - 1,
                         wanted ? panel == 0 ? "bad" : "good" : "cell");
            }
        for (int r = 0; r < OUT; r++)
            for (int c = 0; c < OUT; c++) {
                int used = panel == 0 ? r == 2 && c == 2
                                      : r <= AT && r > AT - TAPS && c <= AT && c > AT - TAPS;
                put_rect(x + 170 + c * 18, top + r * 18, 17, 17, used ? "k2" : "k6");
            }
        put_text(x, top + in * CELL + 16, "v", "dx, 7 x 7");
        put_text(x + 170, top + OUT * 18 + 16, "v", "delta, 5 x 5");
    }
    put_text(20, 268, "v",
             "filters of 3 x 3; both add the same numbers, only one in a fixed order");
}

// ---- Launches of a batch ----

void figure_draw_launches(void) {
    enum { KERNELS = 12, LAUNCH = 34, WORK = 26, LEFT = 90, PAUSE = 8 };
    begin_figure(WIDTH, 210, "Kernels launched one by one, and as a graph");
    for (int panel = 0; panel < 2; panel++) {
        double top = 30 + panel * 94.0, step = panel == 0 ? WORK + PAUSE : WORK + 1;
        int count = panel == 0 ? KERNELS : KERNELS - 1;
        put_text(LEFT, top - 10, "t", "%s",
                 panel == 0 ? "12 launches per batch" : "a graph: one launch, 11 kernels");
        put_text(LEFT - 8, top + 15, "v e", "host");
        put_text(LEFT - 8, top + 43, "v e", "device");
        for (int k = 0; k < count; k++) {
            if (panel == 0 || k == 0)
                put_rect(LEFT + k * step, top, panel == 0 ? step - 2 : LAUNCH, 22, "k2");
            put_rect(LEFT + 30 + k * step, top + 28, WORK, 22, "k1");
        }
    }
    put_text(LEFT, 204, "v", "schematic: green kernels, orange the host's work per launch");
}
