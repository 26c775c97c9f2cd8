// Modelled rates of matrix-vector products by order on a GeForce 8800 GTX, beside what the paper of
// 2008 reports in words of its figure 3: all sampled orders, and some next to each other. See
// figure.h.
#include "drawing.h"
#include "figures/figure.h"

enum { POINTS = 512, CURVES = 5 };

typedef struct orders {
    double order[POINTS], rate[2][POINTS]; // without and with texture
    int count;
} orders;

static bool load(const char *path, orders *out) {
    char line[128];
    FILE *file = fopen(path, "r");
    if (!file) return false;
    while (out->count < POINTS && fgets(line, sizeof line, file)) {
        int at = out->count;
        out->count +=
            sscanf(line, "%lf,%lf,%lf", &out->order[at], &out->rate[0][at], &out->rate[1][at]) == 3;
    }
    fclose(file);
    return out->count > 0;
}

// What the paper says of CUBLAS 1.1 at its best and at odd orders, and of its own kernel at its
// worst from order 2048 on, in GFLOP/s.
static const double reported[3] = {36.41, 4.5, 28.05};
static const char *const reported_names[3] = {"reported: best", "reported: odd",
                                              "reported: paper's"};

static void draw(const orders *all, double first, double last, int multiple, double step,
                 double left, bool names) {
    static orders part;
    static double ends[2], levels[3][2];
    part.count = 0;
    for (int i = 0; i < all->count; i++) {
        int order = (int)all->order[i];
        if (order < first || order > last || order % multiple) continue;
        part.order[part.count] = order;
        part.rate[0][part.count] = all->rate[0][i];
        part.rate[1][part.count++] = all->rate[1][i];
    }
    kl_chart chart = {.title = "",
                      .x = {"order of the matrix", first, last, step, false},
                      .y = {"GFLOP/s", 0, 40, 10, false},
                      .left = left,
                      .top = 46,
                      .width = 250,
                      .height = 220,
                      .count = CURVES};
    ends[0] = first;
    ends[1] = last;
    chart.curves[0] = (kl_curve){names ? "no texture" : "", part.count, part.order, part.rate[0]};
    chart.curves[1] = (kl_curve){names ? "texture" : "", part.count, part.order, part.rate[1]};
    for (int i = 0; i < 3; i++) {
        levels[i][0] = levels[i][1] = reported[i];
        chart.curves[2 + i] = (kl_curve){names ? reported_names[i] : "", 2, ends, levels[i]};
    }
    kl_chart_draw(&chart, stdout);
}

int figure_draw_orders(const char *path) {
    static orders all;
    if (!load(path, &all)) {
        fprintf(stderr, "ladder-docs figure: %s: no rows of order and two rates\n", path);
        return 1;
    }
    static const char *const kernels[2] = {"no texture", "texture"};
    figure_words words = {.length = 0};
    figure_say(&words,
               "Modelled rates of matrix-vector products by order, GFLOP/s, GeForce 8800 GTX");
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < all.count; i++)
            figure_value(&words, all.rate[k][i], "%.1f (%s, order %.0f)", all.rate[k][i],
                         kernels[k], (double)all.order[i]);
    figure_say_extremes(&words);
    begin_figure(760, 312, words.text);
    put_text(8, 18, "t", "modelled for the GeForce 8800 GTX, beside the paper's words");
    put_text(52, 38, "v", "multiples of 64");
    put_text(372, 38, "v", "all orders from 2032 to 2080");
    draw(&all, 0, 6144, 64, 2048, 52, false);
    draw(&all, 2032, 2080, 1, 16, 372, true);
    kl_paper_end(stdout);
    return 0;
}
