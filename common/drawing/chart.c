// Curves in a frame: see drawing.h.
#include "drawing.h"

enum { LABEL_HEIGHT = 14 };

// ---- axes ------------------------------------------------------------------------------------

kl_axis kl_axis_over(const char *title, double least, double most, int marks) {
    if (!isfinite(least) || !isfinite(most)) least = 0, most = 1;
    if (most <= least) most = least + (least != 0 ? fabs(least) : 1);
    double unit = pow(10, floor(log10((most - least) / marks))), step = 10 * unit;
    static const double factors[] = {1, 2, 5};
    for (int i = 2; i >= 0; i--)
        if ((most - least) / (factors[i] * unit) <= marks) step = factors[i] * unit;
    return (kl_axis){title, step * floor(least / step + 1e-9), step * ceil(most / step - 1e-9),
                     step, false};
}

kl_axis kl_axis_decades(const char *title, double least, double most) {
    double first = pow(10, floor(log10(least) + 1e-9)), last = pow(10, ceil(log10(most) - 1e-9));
    return (kl_axis){title, first, last > first ? last : 10 * first, 10, true};
}

static double share(const kl_axis *axis, double value) {
    return axis->logarithmic ? log(value / axis->first) / log(axis->last / axis->first)
                             : (value - axis->first) / (axis->last - axis->first);
}

static int mark_count(const kl_axis *axis) {
    double steps = axis->logarithmic ? log(axis->last / axis->first) / log(axis->step)
                                     : (axis->last - axis->first) / axis->step;
    return (int)(steps + 1e-6) + 1;
}

// Near 0, 0 itself: sums of steps are not.
static double mark_at(const kl_axis *axis, int i) {
    if (axis->logarithmic) return axis->first * pow(axis->step, i);
    double value = axis->first + i * axis->step;
    return fabs(value) < 1e-9 * axis->step ? 0 : value;
}

// True when the point is a point of the frame.
static bool is_shown(const kl_chart *c, double x, double y) {
    if (!isfinite(x) || !isfinite(y) || (c->x.logarithmic && x <= 0) ||
        (c->y.logarithmic && y <= 0))
        return false;
    double across = share(&c->x, x), up = share(&c->y, y), little = 1e-9;
    return across >= -little && across <= 1 + little && up >= -little && up <= 1 + little;
}

static double x_of(const kl_chart *c, double x) { return c->left + c->width * share(&c->x, x); }

static double y_of(const kl_chart *c, double y) {
    return c->top + c->height * (1 - share(&c->y, y));
}

// ---- paper -----------------------------------------------------------------------------------

static void draw_axes(const kl_chart *c, FILE *out) {
    double bottom = c->top + c->height, middle = c->top + c->height / 2;
    kl_paper_text(out, c->left - 44, c->top - 12, "t", "%s", c->title);
    for (int i = 0; i < mark_count(&c->y); i++) {
        double y = y_of(c, mark_at(&c->y, i));
        kl_paper_line(out, c->left, y, c->left + c->width, y, "grid");
        kl_paper_text(out, c->left - 6, y + 4, "v e", "%g", mark_at(&c->y, i));
    }
    kl_paper_line(out, c->left, bottom, c->left + c->width, bottom, "axis");
    for (int i = 0; i < mark_count(&c->x); i++) {
        double x = x_of(c, mark_at(&c->x, i));
        kl_paper_line(out, x, bottom, x, bottom + 4, "axis");
        kl_paper_text(out, x, bottom + 17, "v m", "%g", mark_at(&c->x, i));
    }
    kl_paper_text(out, c->left + c->width / 2, bottom + 33, "v m", "%s", c->x.title);
    fprintf(out, "<g transform=\"rotate(-90 %.1f %.1f)\">", c->left - 38, middle);
    kl_paper_text(out, c->left - 38, middle, "v m", "%s", c->y.title);
    fputs("</g>\n", out);
}

static void draw_curve(const kl_chart *c, int index, FILE *out) {
    const kl_curve *curve = &c->curves[index];
    const char *command = "M";
    fprintf(out, "<path class=\"s%d line\" stroke-width=\"2\" stroke-dasharray=\"%s\" d=\"", index,
            kl_paper_dashes(index));
    for (int i = 0; i < curve->count; i++) {
        bool shown = is_shown(c, curve->x[i], curve->y[i]);
        if (shown) fprintf(out, "%s%.1f %.1f", command, x_of(c, curve->x[i]), y_of(c, curve->y[i]));
        command = shown ? "L" : "M";
    }
    fputs("\"/>\n", out);
    for (int i = 0; i < curve->count; i++) {
        if (!is_shown(c, curve->x[i], curve->y[i])) continue;
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" class=\"s%d area\"><title>",
                x_of(c, curve->x[i]), y_of(c, curve->y[i]), index);
        kl_paper_put(out, curve->name);
        fprintf(out, ": %g at %g</title></circle>\n", curve->y[i], curve->x[i]);
    }
}

// The y of the curve's last shown point, or the frame's bottom.
static double end_of(const kl_chart *c, const kl_curve *curve) {
    for (int i = curve->count - 1; i >= 0; i--)
        if (is_shown(c, curve->x[i], curve->y[i])) return y_of(c, curve->y[i]);
    return c->top + c->height;
}

// Names beside the ends of their curves, pushed apart where they would lie on each other.
static void draw_names(const kl_chart *c, FILE *out) {
    double at[KL_CHART_CURVES];
    int order[KL_CHART_CURVES];
    for (int i = 0; i < c->count; i++) {
        double y = end_of(c, &c->curves[i]);
        int place = i;
        for (; place > 0 && at[order[place - 1]] > y; place--) order[place] = order[place - 1];
        order[place] = i;
        at[i] = y;
    }
    for (int k = 1; k < c->count; k++)
        at[order[k]] = fmax(at[order[k]], at[order[k - 1]] + LABEL_HEIGHT);
    double limit = c->top + c->height;
    for (int k = c->count - 1; k >= 0; k--, limit -= LABEL_HEIGHT)
        at[order[k]] = fmin(at[order[k]], limit);
    for (int i = 0; i < c->count; i++) {
        fprintf(out, "<g class=\"s%d\">", i);
        kl_paper_text(out, c->left + c->width + 8, at[i] + 4, "v area", "%s", c->curves[i].name);
        fputs("</g>\n", out);
    }
}

void kl_chart_draw(const kl_chart *chart, FILE *out) {
    draw_axes(chart, out);
    for (int i = 0; i < chart->count; i++) draw_curve(chart, i, out);
    draw_names(chart, out);
}
