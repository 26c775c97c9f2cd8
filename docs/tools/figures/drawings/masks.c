// Lab 10's deck: which weights of a small matrix stay, singly and in blocks; radix selection; the
// bytes of formats; what a multiply-add takes from the cache; accuracy against sparsity. See
// figure.h. Masks are made here from invented weights by the lab's own rules; accuracies are
// measured ones (ladder.pruning-run/1).
#include "figures/figure.h"
#include "measured.h"

enum { WIDTH = 600, ROWS = 12, COLUMNS = 16, WEIGHTS = ROWS * COLUMNS, BLOCK = 4 };

// Invented weights, most of them small: twice the mean of three uniform numbers.
static double weight_of(int i) {
    uint32_t x = (uint32_t)i * 2654435761u + 12345u;
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        sum += x / 4294967296.0 - 0.5;
    }
    return sum / 1.5;
}

// How many weights (or sums of blocks) are larger, equal ones in front included.
static int rank_of(const double *size, int count, int i) {
    int rank = 0;
    for (int k = 0; k < count; k++) rank += size[k] > size[i] || (size[k] == size[i] && k < i);
    return rank;
}

static const char *heat(double magnitude) {
    static const char *const shapes[] = {"h0", "h1", "h2", "h3", "h4", "h5"};
    int level = (int)(magnitude * 9);
    return shapes[level > 5 ? 5 : level];
}

void figure_draw_masks(void) {
    enum { CELL = 11, TOP = 44, PITCH = 200, KEEP = WEIGHTS / 4 };
    double size[WEIGHTS], block[WEIGHTS / BLOCK];
    int kept_small = 0;
    for (int i = 0; i < WEIGHTS; i++) size[i] = fabs(weight_of(i));
    for (int b = 0; b < WEIGHTS / BLOCK; b++) {
        block[b] = 0;
        for (int k = 0; k < BLOCK; k++)
            block[b] += size[(b / COLUMNS * BLOCK + k) * COLUMNS + b % COLUMNS];
    }
    begin_figure(WIDTH, 226, "Weights by magnitude, the largest quarter, and in blocks");
    put_text(8, 20, "t", "weights, dark: large");
    put_text(8 + PITCH, 20, "t", "the largest %d", KEEP);
    put_text(8 + 2 * PITCH, 20, "t", "%d blocks of %d x 1", KEEP / BLOCK, BLOCK);
    for (int i = 0; i < WEIGHTS; i++) {
        int r = i / COLUMNS, c = i % COLUMNS, b = r / BLOCK * COLUMNS + c;
        int single = rank_of(size, WEIGHTS, i) < KEEP;
        int together = rank_of(block, WEIGHTS / BLOCK, b) < KEEP / BLOCK;
        double x = 8 + c * CELL, y = TOP - 12 + r * CELL;
        kept_small += together && !single;
        put_rect(x, y, CELL - 1, CELL - 1, heat(size[i]));
        put_rect(x + PITCH, y, CELL - 1, CELL - 1, single ? heat(size[i]) : "cell");
        put_rect(x + 2 * PITCH, y, CELL - 1, CELL - 1, together ? heat(size[i]) : "cell");
    }
    put_text(8, TOP + ROWS * CELL + 12, "v", "%d weights", WEIGHTS);
    put_text(8 + PITCH, TOP + ROWS * CELL + 12, "v", "each for itself");
    put_text(8 + 2 * PITCH, TOP + ROWS * CELL + 12, "v", "%d would not have stayed", kept_small);
    put_text(8, TOP + ROWS * CELL + 36, "v", "invented weights; both masks keep as many");
}

// ---- Radix selection: a histogram, then one of its bins ----

void figure_draw_radix(void) {
    enum { BINS = 16, LEFT = 60, UNIT = 33, TALL = 110, KEEP = WEIGHTS / 4 };
    int bins[BINS] = {0}, most = 0, larger = 0, wanted = BINS - 1;
    begin_figure(WIDTH, 226, "A histogram of magnitudes and the bin of the wanted one");
    for (int i = 0; i < WEIGHTS; i++) {
        int bin = (int)(fabs(weight_of(i)) * BINS);
        bins[bin < BINS ? bin : BINS - 1]++;
    }
    for (; larger + bins[wanted] < KEEP; wanted--) larger += bins[wanted];
    for (int b = 0; b < BINS; b++) most = bins[b] > most ? bins[b] : most;
    put_text(LEFT, 20, "t", "%d weights by the upper bits of their magnitude; %d stay", WEIGHTS,
             KEEP);
    for (int b = 0; b < BINS; b++) {
        double height = (double)bins[b] / most * TALL, x = LEFT + b * UNIT;
        put_rect(x, 46 + TALL - height, UNIT - 3, height,
                 b > wanted    ? "k1"
                 : b == wanted ? "k2"
                               : "cell");
        put_text(x + UNIT / 2.0, 46 + TALL + 15, "v m", "%d", bins[b]);
    }
    put_text(LEFT, 46 + TALL + 40, "v",
             "green: %d stay; orange: the wanted magnitude is number %d of these, by size", larger,
             KEEP - larger);
    put_text(LEFT, 46 + TALL + 58, "v",
             "then the next bits, of the weights in the orange bin alone; the lab has 4 passes "
             "of 8 bits");
}

// ---- Bytes of formats against the share of weights that stays ----

void figure_draw_format_bytes(void) {
    enum { LEFT = 70, TOP = 30, WIDE = 360, TALL = 230, COUNT = 5 };
    static const struct {
        const char *name, *shape;
        double entry, always; // bytes per weight that stays, and per weight
    } formats[COUNT] = {{"dense", "s7 line", 0, 4},
                        {"COO", "s2 line", 12, 0},
                        {"CSR", "s0 line", 8, 0},
                        {"bitmap, values", "s1 line", 4, 0.125},
                        {"blocks of 4", "s3 line", 5, 0}};
    begin_figure(WIDTH, 312, "Bytes per weight of five formats against the share kept");
    put_text(LEFT, 16, "t", "bytes per weight of the dense matrix");
    for (int b = 0; b <= 6; b += 2) {
        double y = TOP + TALL - b * TALL / 6.0;
        put_line(LEFT, y, LEFT + WIDE, y, "grid");
        put_text(LEFT - 8, y + 4, "v e", "%d", b);
    }
    for (int s = 0; s <= 100; s += 20) {
        double x = LEFT + s * WIDE / 100.0;
        put_line(x, TOP, x, TOP + TALL, "grid");
        put_text(x, TOP + TALL + 16, "v m", "%d", s);
    }
    put_text(LEFT + WIDE, TOP + TALL + 36, "v e", "weights at 0, in %%");
    for (int f = 0; f < COUNT; f++) {
        double first = formats[f].entry + formats[f].always, x0 = LEFT;
        if (first > 6) { // leaves the picture at the top
            x0 = LEFT + WIDE * (1 - (6 - formats[f].always) / formats[f].entry);
            first = 6;
        }
        printf("<g stroke-dasharray=\"%s\">", kl_paper_dashes(f));
        put_line(x0, TOP + TALL - first * TALL / 6, LEFT + WIDE,
                 TOP + TALL - formats[f].always * TALL / 6, formats[f].shape);
        put_line(LEFT + WIDE + 20, TOP + 20 + f * 26, LEFT + WIDE + 46, TOP + 20 + f * 26,
                 formats[f].shape);
        puts("</g>");
        put_text(LEFT + WIDE + 52, TOP + 24 + f * 26, "v", "%s", formats[f].name);
    }
}

// ---- What a multiply-add takes from the cache ----

static void draw_use(double x, const char *title, int rows, int columns, const char *rate) {
    enum { CELL = 18, TOP = 74 };
    put_text(x, 20, "t", "%s", title);
    for (int r = 0; r < rows; r++) put_rect(x, TOP + r * CELL, CELL - 2, CELL - 2, "k0");
    for (int c = 0; c < columns; c++)
        put_rect(x + 24 + c * CELL, TOP - 26, CELL - 2, CELL - 2, "k1");
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            put_rect(x + 24 + c * CELL, TOP + r * CELL, CELL - 2, CELL - 2, "k2");
    put_text(x, TOP + 92, "v", "%d x loaded, %d multiply-add%s", columns, rows * columns,
             rows * columns == 1 ? "" : "s");
    put_text(x, TOP + 112, "v", "%s", rate);
}

void figure_draw_sparse_use(void) {
    begin_figure(WIDTH, 226, "Multiply-adds per loaded element, dense, sparse, blocks");
    draw_use(16, "dense tile", 4, 4, "bound: the multiply-adds");
    draw_use(216, "CSR (step 6)", 1, 4, "an SM: 32 of 128 per cycle");
    draw_use(416, "blocks (step 7)", 4, 4, "bound: the multiply-adds");
    put_text(16, 216, "v",
             "blue: weights; green: x of images, from the L1; orange: sums in registers");
}

// ---- Accuracy against sparsity ----

static void draw_curve(const json_t *points, const char *key, const char *shape, double low,
                       double left, double top, double wide, double tall) {
    double x0 = 0, y0 = 0;
    for (size_t i = 0; i < json_array_size(points); i++) {
        const json_t *point = json_array_get(points, i);
        double s = measured_number(point, "sparsity"), a = measured_number(point, key);
        double x = left + (s - 0.5) * 2 * wide, y = top + (1 - (a - low) / (1 - low)) * tall;
        if (i > 0) put_line(x0, y0, x, y, shape);
        put_rect(x - 3, y - 3, 6, 6,
                 shape[1] == '2'   ? "s2 area"
                 : shape[1] == '1' ? "s1 area"
                                   : "s0 area");
        x0 = x;
        y0 = y;
    }
}

int figure_draw_accuracy(const json_t *run) {
    enum { LEFT = 60, TOP = 30, WIDE = 380, TALL = 220 };
    const double low = 0.7;
    static const struct {
        const char *key, *shape, *name;
    } curves[] = {{"accuracy_pruned", "s2 line", "before tuning"},
                  {"accuracy_blocks", "s1 line", "blocks, tuned"},
                  {"accuracy_tuned", "s0 line", "tuned"}};
    const json_t *points =
        json_object_get(json_array_get(json_object_get(run, "batches"), 0), "points");
    if (json_array_size(points) == 0) {
        fputs("ladder-docs figure: no points\n", stderr);
        return 1;
    }
    figure_words words = {.length = 0};
    figure_say(&words,
               "Test images that are classified correctly against the share of weights at 0");
    for (int c = 0; c < 3; c++) {
        size_t i;
        const json_t *point;
        figure_say(&words, "; %s", curves[c].name);
        json_array_foreach(points, i, point) figure_value(
            &words, measured_number(point, curves[c].key), "%.1f %% (%.0f %% at 0)",
            100 * measured_number(point, curves[c].key), 100 * measured_number(point, "sparsity"));
        figure_say_extremes(&words);
    }
    begin_figure(WIDTH, 300, words.text);
    put_text(LEFT, 16, "t", "test images that are classified correctly, in %%");
    for (int a = 70; a <= 100; a += 10) {
        double y = TOP + (1 - (a / 100.0 - low) / (1 - low)) * TALL;
        put_line(LEFT, y, LEFT + WIDE, y, "grid");
        put_text(LEFT - 8, y + 4, "v e", "%d", a);
    }
    for (int s = 50; s <= 100; s += 10)
        put_text(LEFT + (s - 50) * 2 * WIDE / 100.0, TOP + TALL + 18, "v m", "%d", s);
    put_text(LEFT + WIDE, TOP + TALL + 38, "v e", "weights at 0, in %%");
    for (int c = 0; c < 3; c++) {
        printf("<g stroke-dasharray=\"%s\">", kl_paper_dashes(c));
        draw_curve(points, curves[c].key, curves[c].shape, low, LEFT, TOP, WIDE, TALL);
        put_line(LEFT + WIDE + 22, TOP + 24 + c * 26, LEFT + WIDE + 48, TOP + 24 + c * 26,
                 curves[c].shape);
        puts("</g>");
        put_text(LEFT + WIDE + 54, TOP + 28 + c * 26, "v", "%s", curves[c].name);
    }
    kl_paper_end(stdout);
    return 0;
}
