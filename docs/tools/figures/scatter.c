// Modelled against measured times of the kernels that the timing model is held to. See figure.h.
#include "figures/figure.h"
#include "stored/stored.h"

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
        put_point(across(&f, k->us), up(&f, k->modelled_us[KERNEL_MODEL_SM]), k->held);
    }
    put_names(&f, &times);
    kl_paper_end(stdout);
    return 0;
}
