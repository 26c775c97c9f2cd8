// Pictures of a sweep over orders: see sweep.h. Pure functions of the result.
#include <math.h>
#include <string.h>
#include <stdlib.h>

#include "paper.h"
#include "stats.h"
#include "sweep.h"

double sweep_gflops(const sweep_result *result, int point, int series) {
    double n = result->order[point];
    return 2e-3 * n * n / result->us[point][series];
}

sweep_score sweep_score_of(const sweep_result *result, int series) {
    sweep_score score = {.least = INFINITY, .most = 0.0};
    double ratios[SWEEP_POINTS];
    int vendor = result->series_count - 1;
    for (int i = 0; result->has_vendor && i < result->count; i++) {
        double ratio = result->us[i][vendor] / result->us[i][series];
        score.won += ratio > 1.0;
        score.lost += ratio < 1.0;
        score.equal += ratio == 1.0;
        score.least = fmin(score.least, ratio);
        score.most = fmax(score.most, ratio);
        ratios[i] = ratio;
    }
    score.mean = kl_geometric_mean(ratios, result->has_vendor ? (size_t)result->count : 0);
    return score;
}

// The next 1, 2 or 5 times a power of ten that is at least a fifth of `most`.
static double mark_step(double most) {
    double step = pow(10.0, floor(log10(most)) - 1.0);
    static const double factors[] = {1, 2, 5, 10, 20, 50};
    for (int i = 0; i < 6; i++)
        if (factors[i] * step >= most / 6.0) return factors[i] * step;
    return most;
}

static double highest(const sweep_result *result) {
    double most = 0.0;
    for (int i = 0; i < result->count; i++)
        for (int s = 0; s < result->series_count; s++)
            most = fmax(most, sweep_gflops(result, i, s));
    return most;
}

// ---- SVG ---------------------------------------------------------------------------------------

enum {
    WIDTH = 780,
    HEIGHT = 368,
    LEFT = 50,
    WHOLE = 430, // width of the whole range
    GAP = 40,
    ZOOM = 244,
    TOP = 46,
    PLOT = 212, // height
    LEGEND = TOP + PLOT + 54
};

static const char *const classes[SWEEP_SERIES] = {"s0 line", "s1 line", "s3 line", "s7 line"};

static const char *class_of(const sweep_result *result, int series) {
    bool vendor = result->has_vendor && series == result->series_count - 1;
    return vendor ? "s2 line" : classes[series];
}

typedef struct panel {
    int left, width, first, last; // pixels; orders
    double most;                  // GFLOP/s at the top
} panel;

static double x_of(const panel *p, double order) {
    return p->left + p->width * (order - p->first) / (p->last > p->first ? p->last - p->first : 1);
}

static double y_of(const panel *p, double gflops) {
    return TOP + PLOT * (1.0 - gflops / p->most);
}

static void draw_frame(const panel *p, bool numbers, FILE *out) {
    double step = mark_step(p->most);
    for (double y = 0; y <= p->most; y += step) {
        kl_paper_line(out, p->left, y_of(p, y), p->left + p->width, y_of(p, y), "grid");
        if (numbers) kl_paper_text(out, p->left - 6, y_of(p, y) + 4, "v e", "%g", y);
    }
    double across = mark_step(p->last - p->first);
    for (double x = ceil(p->first / across) * across; x <= p->last; x += across) {
        kl_paper_line(out, x_of(p, x), TOP + PLOT, x_of(p, x), TOP + PLOT + 4, "axis");
        kl_paper_text(out, x_of(p, x), TOP + PLOT + 18, "v m", "%g", x);
    }
    kl_paper_text(out, p->left + p->width / 2, TOP + PLOT + 34, "v m", "matrix order, %d to %d",
                  p->first, p->last);
}

static void draw_curves(const sweep_result *result, const panel *p, FILE *out) {
    for (int s = result->series_count - 1; s >= 0; s--) {
        fprintf(out, "<path d=\"");
        char command = 'M';
        for (int i = 0; i < result->count; i++) {
            if (result->order[i] < p->first || result->order[i] > p->last) continue;
            fprintf(out, "%c%.1f %.1f", command, x_of(p, result->order[i]),
                    y_of(p, sweep_gflops(result, i, s)));
            command = 'L';
        }
        fprintf(out, "\" stroke-width=\"1.2\" stroke-dasharray=\"%s\" class=\"%s\"/>\n",
                kl_paper_dashes(s), class_of(result, s));
    }
}

static void draw_legend(const sweep_result *result, FILE *out) {
    for (int s = 0; s < result->series_count; s++) {
        int y = LEGEND + 16 * s, x = LEFT;
        bool vendor = result->has_vendor && s == result->series_count - 1;
        fprintf(out, "<g stroke-dasharray=\"%s\">", kl_paper_dashes(s));
        kl_paper_line(out, x, y - 4, x + 24, y - 4, class_of(result, s));
        fputs("</g>", out);
        sweep_score score = sweep_score_of(result, s);
        if (result->has_vendor && !vendor)
            kl_paper_text(out, x + 30, y, "v",
                          "%s: faster than the library at %d of %d orders, slower at %d; geometric "
                          "mean of the gains %.2fx",
                          result->series[s].name, score.won, result->count, score.lost, score.mean);
        else
            kl_paper_text(out, x + 30, y, "v", "%s", result->series[s].name);
    }
}

// What the curves show, for those who cannot see them: who is faster than the library, where.
static void say_scores(const sweep_result *result, char *text, size_t bytes) {
    int at =
        snprintf(text, bytes, "GFLOP/s by matrix order as curves, highest %.0f", highest(result));
    for (int s = 0; s < result->series_count - 1 && result->has_vendor; s++) {
        sweep_score score = sweep_score_of(result, s);
        if (at < 0 || (size_t)at >= bytes) return;
        at += snprintf(text + at, bytes - (size_t)at,
                       "; %s: faster than the library at %d of %d orders, geometric mean of the "
                       "gains %.2fx",
                       result->series[s].name, score.won, result->count, score.mean);
    }
}

void sweep_draw(const sweep_result *result, FILE *out) {
    double ceiling = result->ceiling_gbs / 2.0;
    double most = 1.05 * fmax(highest(result), result->simulated || isnan(ceiling) ? 0 : ceiling);
    panel whole = {LEFT, WHOLE, 0, result->order[result->count - 1], most};
    panel zoom = {LEFT + WHOLE + GAP, ZOOM, result->zoom.first, result->zoom.last, most};
    bool has_ceiling = !result->simulated && isfinite(ceiling);
    char words[600];
    say_scores(result, words, sizeof words);
    kl_paper_begin(out, WIDTH, HEIGHT, words);
    kl_paper_text(out, 8, 18, "t", "y = A x, row-major: GFLOP/s by matrix order, %s on %s%s",
                  result->simulated ? "modelled" : "measured", result->device,
                  result->simulated ? ", a few small orders" : "");
    if (has_ceiling)
        kl_paper_text(out, 8, 34, "v",
                      "right: an enlargement, every order; dashed: the measured read ceiling, "
                      "%.0f GB/s / 2",
                      result->ceiling_gbs);
    else
        kl_paper_text(out, 8, 34, "v", "right: an enlargement, every order");
    draw_frame(&whole, true, out);
    draw_frame(&zoom, false, out);
    if (has_ceiling)
        kl_paper_line(out, LEFT, y_of(&whole, ceiling), LEFT + WHOLE + GAP + ZOOM,
                      y_of(&whole, ceiling), "dash");
    draw_curves(result, &whole, out);
    draw_curves(result, &zoom, out);
    draw_legend(result, out);
    kl_paper_end(out);
}

// ---- text --------------------------------------------------------------------------------------

enum { LINES = 16, MOST_COLUMNS = 160, MARGIN = 9 };

void sweep_draw_text(const sweep_result *result, const kl_style *style, FILE *out) {
    char cells[LINES][MOST_COLUMNS];
    int columns = style->width - MARGIN < MOST_COLUMNS ? style->width - MARGIN : MOST_COLUMNS;
    columns = columns > 20 ? columns : 20;
    double most = highest(result) * 1.02;
    int last = result->order[result->count - 1];
    memset(cells, ' ', sizeof cells);
    for (int i = 0; i < result->count; i++) {
        for (int s = 0; s < result->series_count; s++) {
            int x = (int)((double)(columns - 1) * result->order[i] / last);
            int y = (int)(LINES * sweep_gflops(result, i, s) / most);
            char mark = (char)('1' + s), *cell = &cells[y][x];
            *cell = *cell == ' ' || *cell == mark ? mark : '*';
        }
    }
    fprintf(out, "GFLOP/s by matrix order:");
    for (int s = 0; s < result->series_count; s++)
        fprintf(out, " %d %s%s", s + 1, result->series[s].name,
                s + 1 < result->series_count ? "," : "");
    fprintf(out, ", * several\n\n");
    for (int y = LINES - 1; y >= 0; y--) {
        fprintf(out, y % 4 == 0 ? "%6.0f |" : "       |", y * most / LINES);
        int end = columns;
        while (end > 0 && cells[y][end - 1] == ' ') end--;
        fprintf(out, " %.*s\n", end, cells[y]);
    }
    fprintf(out, "       +");
    for (int x = 0; x <= columns; x++) fputc('-', out);
    fprintf(out, "\n         %-*d%d\n", columns - 5, 0, last);
}

// ---- The orders of lab 04's sweep ----

// Sampled from the paper's 16 .. 12800, denser where its figure 3 has structure: the period of 16
// of the library of its time, and the period of 512 of its own block distribution.

static void mark(bool *wanted, int first, int last, int step) {
    for (int n = first; n <= last; n += step)
        if (n >= SWEEP_FROM && n <= SWEEP_TO) wanted[n] = true;
}

static void mark_measured(bool *wanted) {
    static const int around[] = {2048, 4096, 8192};
    mark(wanted, SWEEP_FROM, SWEEP_FROM, 1);
    mark(wanted, 64, SWEEP_TO, 64);
    for (int i = 0; i < 3; i++)
        mark(wanted, around[i] - 8, around[i] + 8, 1); // all residues mod 16
    for (int n = 512; n <= SWEEP_TO; n += 512) mark(wanted, n - 1, n + 1, 1);
    mark(wanted, 6080, 6208, 1); // the paper's enlargement
}

int sweep_orders(bool simulated, int out_orders[SWEEP_POINTS], sweep_zoom *out_zoom) {
    static bool wanted[SWEEP_TO + 1];
    memset(wanted, 0, sizeof wanted);
    if (simulated) {
        mark(wanted, SWEEP_FROM, SWEEP_FROM, 1);
        mark(wanted, 64, 768, 64);
        mark(wanted, 504, 520, 1);
        *out_zoom = (sweep_zoom){504, 520};
    } else {
        mark_measured(wanted);
        *out_zoom = (sweep_zoom){6080, 6208};
    }
    int count = 0;
    for (int n = SWEEP_FROM; n <= SWEEP_TO && count < SWEEP_POINTS; n++)
        if (wanted[n]) out_orders[count++] = n;
    return count;
}
