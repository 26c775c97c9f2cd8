// Modelled against measured times of the kernels that the timing model is held to. See figure.h.
#include "figures/figure.h"
#include "stored/stored.h"
#include "drawing.h"

enum { SIDE = 520, LEFT = 62, TOP = 40, BELOW = 46, RIGHT = 130, NAMED = 12 };
enum { NAME_WIDTH = 130, NAME_HEIGHT = 10 };

typedef struct frame {
    double first, last; // us, powers of ten
} frame;

static double across(const frame *f, double us) {
    return LEFT + SIDE * log(us / f->first) / log(f->last / f->first);
}

static double up(const frame *f, double us) {
    return TOP + SIDE * (1 - log(us / f->first) / log(f->last / f->first));
}

static frame frame_of(const kernel_times *times) {
    double least = INFINITY, most = 0;
    for (int i = 0; i < times->count; i++) {
        const kernel_time *k = &times->kernels[i];
        least = fmin(least, fmin(k->us, k->modelled_us[KERNEL_MODEL_SM]));
        most = fmax(most, fmax(k->us, k->modelled_us[KERNEL_MODEL_SM]));
    }
    return (frame){pow(10, floor(log10(least))), pow(10, ceil(log10(most)))};
}

// The line modelled = ratio x measured, within the frame.
static void put_ratio(const frame *f, double ratio, const char *shape) {
    double from = fmax(f->first, f->first / ratio), to = fmin(f->last, f->last / ratio);
    put_line(across(f, from), up(f, from * ratio), across(f, to), up(f, to * ratio), shape);
}

static void put_frame(const frame *f, const char *device) {
    put_text(8, 20, "t", "Modelled and measured times of kernels, %s", device);
    for (double us = f->first; us <= f->last * 1.001; us *= 10) {
        put_line(LEFT, up(f, us), LEFT + SIDE, up(f, us), "grid");
        put_line(across(f, us), TOP, across(f, us), TOP + SIDE, "grid");
        put_text(LEFT - 6, up(f, us) + 4, "v e", "%g", us);
        put_text(across(f, us), TOP + SIDE + 16, "v m", "%g", us);
    }
    put_ratio(f, 1, "axis");
    put_ratio(f, 2, "dash");
    put_ratio(f, 0.5, "dash");
    put_text(LEFT + SIDE / 2.0, TOP + SIDE + 36, "v m", "measured, us");
    put_text(LEFT + 6, TOP + 14, "v", "modelled, us");
    put_text(LEFT + SIDE + 8, TOP + 12, "v", "solid: equal");
    put_text(LEFT + SIDE + 8, TOP + 28, "v", "dashed: a factor of 2");
}

static void put_point(double x, double y, bool held) {
    printf("<g class=\"s%d\"><circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" class=\"%s\"/></g>\n",
           held ? 1 : 0, x, y, held ? "area" : "line");
}

static void put_key(void) {
    const double x = LEFT + SIDE + 14, y = TOP + 52;
    put_point(x, y, false);
    put_text(x + 10, y + 4, "v", "looked at");
    put_point(x, y + 18, true);
    put_text(x + 10, y + 22, "v", "only reported");
}

// The worst kernels' names, but for those that would lie across another name.
static void put_names(const frame *f, const kernel_times *times) {
    double placed[NAMED][2];
    int count = 0;
    for (int i = 0; i < times->count && count < NAMED; i++) {
        const kernel_time *k = &times->kernels[i];
        double x = across(f, k->us) + 5, y = up(f, k->modelled_us[KERNEL_MODEL_SM]) + 3;
        bool free_place = true;
        if (kernel_time_factor(k, KERNEL_MODEL_SM) < 2) break;
        for (int p = 0; p < count; p++)
            if (fabs(placed[p][0] - x) < NAME_WIDTH && fabs(placed[p][1] - y) < NAME_HEIGHT)
                free_place = false;
        if (!free_place) continue;
        placed[count][0] = x;
        placed[count++][1] = y;
        put_text(x, y, "n halo", "%s", k->name);
    }
}

int figure_draw_timing(void) {
    static kernel_times times;
    if (!kernel_times_load("h200", &times)) return 1;
    const frame f = frame_of(&times);
    qsort(times.kernels, (size_t)times.count, sizeof times.kernels[0], kernel_time_worst_first);
    figure_words words = {.length = 0};
    figure_say(&words, "Modelled against measured times of %d kernels, %s; modelled over measured",
               times.count, times.device);
    for (int i = 0; i < times.count; i++) {
        const kernel_time *k = &times.kernels[i];
        double ratio = k->modelled_us[KERNEL_MODEL_SM] / k->us;
        figure_value(&words, ratio, "%.2f (%s)", ratio, k->name);
    }
    figure_say_extremes(&words);
    begin_figure(LEFT + SIDE + RIGHT, TOP + SIDE + BELOW, words.text);
    put_frame(&f, times.device);
    put_key();
    for (int i = 0; i < times.count; i++) {
        const kernel_time *k = &times.kernels[i];
        put_point(across(&f, k->us), up(&f, k->modelled_us[KERNEL_MODEL_SM]), k->half > 0);
    }
    put_names(&f, &times);
    kl_paper_end(stdout);
    return 0;
}

// Modelled rates of matrix-vector products by order on a GeForce 8800 GTX, beside what the paper
// of 2008 reports in words of its figure 3: all sampled orders, and some next to each other.

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
