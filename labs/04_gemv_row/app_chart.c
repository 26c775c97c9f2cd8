// SPDX-License-Identifier: MIT
// Pictures of a run of lab 04's application: see app.h. Pure functions of the run. Both axes are
// logarithmic: a straight line that is level at first and rises later is a transfer and the
// iterations behind it.
#include <math.h>
#include <string.h>

#include "app.h"

typedef struct scale {
    double first, last; // log10 of the values at the ends
} scale;

static void widen(scale *s, double value) {
    if (!(value > 0.0) || !isfinite(value)) return;
    s->first = fmin(s->first, log10(value));
    s->last = fmax(s->last, log10(value));
}

// 0 .. 1
static double part(const scale *s, double value) {
    return s->last > s->first ? (log10(value) - s->first) / (s->last - s->first) : 0.5;
}

// A little room at both ends.
static scale with_margin(scale s) {
    double margin = fmax(0.03 * (s.last - s.first), 0.02);
    return (scale){s.first - margin, s.last + margin};
}

// The host's times are not modelled.
static bool is_drawn(const jacobi_run *run, int solver) {
    return !run->simulated || solver > 0;
}

static scale iterations_of(const jacobi_run *run, const jacobi_case *of) {
    scale s = {INFINITY, -INFINITY};
    for (int i = 0; i < of->point_count; i++)
        for (int k = 0; k < run->solver_count; k++) widen(&s, of->points[i].results[k].iterations);
    return with_margin(s);
}

static scale times_of(const jacobi_run *run, const jacobi_case *of) {
    scale s = {INFINITY, -INFINITY};
    for (int i = 0; i < of->point_count; i++)
        for (int k = 0; k < run->solver_count; k++)
            if (is_drawn(run, k)) widen(&s, of->points[i].results[k].total_us);
    return with_margin(s);
}

static scale speedups_of(const jacobi_run *run, const jacobi_case *of) {
    scale s = {0.0, 0.0}; // 1 is always shown
    for (int i = 0; i < of->point_count; i++)
        for (int k = 1; k < run->solver_count; k++)
            widen(&s, jacobi_speedup(run, &of->points[i], k));
    return with_margin(s);
}

// ---- SVG ---------------------------------------------------------------------------------------

enum {
    WIDTH = 980,
    HEIGHT = 420,
    LEFT = 70,
    PANEL = 390,
    GAP = 80,
    TOP = 50,
    PLOT = 264, // height
    LEGEND = TOP + PLOT + 56
};

static const char *const colours[JACOBI_MOST_SOLVERS] = {"#6b6b6b", "#1b5e8c", "#7a3b8f", "#2f7d4f",
                                                         "#8f7a1b", "#1b8c7f", "#8c1b4a", "#333"};
static const char vendor_colour[] = "#b5532a";

static const char *colour_of(const jacobi_run *run, int solver) {
    return run->solvers[solver].kind == JACOBI_VENDOR ? vendor_colour : colours[solver];
}

typedef struct panel {
    int left;
    scale x, y;
    bool speedup;
} panel;

static double x_of(const panel *p, double k) {
    return p->left + PANEL * part(&p->x, k);
}

static double y_of(const panel *p, double value) {
    return TOP + PLOT * (1.0 - part(&p->y, value));
}

static double value_of(const jacobi_run *run, const panel *p, const jacobi_point *point, int k) {
    if (p->speedup) return jacobi_speedup(run, point, k);
    return is_drawn(run, k) ? point->results[k].total_us : NAN;
}

static void name_value(const panel *p, double value, char *text, size_t bytes) {
    if (p->speedup)
        snprintf(text, bytes, "%gx", value);
    else if (value < 1e3)
        snprintf(text, bytes, "%g us", value);
    else
        snprintf(text, bytes, value < 1e6 ? "%g ms" : "%g s", value * (value < 1e6 ? 1e-3 : 1e-6));
}

// Marks at 1, 2 and 5 times powers of ten; only at the powers where many fit.
static bool is_marked(const scale *s, int digit) {
    return digit == 1 || s->last - s->first < 2.5;
}

static void draw_frame(const panel *p, FILE *out) {
    static const int digits[] = {1, 2, 5};
    char text[32];
    for (int e = (int)floor(p->y.first); e <= (int)ceil(p->y.last); e++) {
        for (int d = 0; d < 3; d++) {
            double value = digits[d] * pow(10.0, e), at = part(&p->y, value);
            if (at < 0.0 || at > 1.0 || !is_marked(&p->y, digits[d])) continue;
            name_value(p, value, text, sizeof text);
            fprintf(out, "<path d=\"M%d %.1fh%d\" stroke=\"#ddd\"/>\n", p->left, y_of(p, value),
                    PANEL);
            fprintf(out, "<text x=\"%d\" y=\"%.1f\" class=\"v e\">%s</text>\n", p->left - 6,
                    y_of(p, value) + 4, text);
        }
    }
    for (int e = (int)floor(p->x.first); e <= (int)ceil(p->x.last); e++) {
        for (int d = 0; d < 3; d++) {
            double value = digits[d] * pow(10.0, e), at = part(&p->x, value);
            if (at < 0.0 || at > 1.0 || !is_marked(&p->x, digits[d])) continue;
            fprintf(out, "<path d=\"M%.1f %dv4\" stroke=\"#333\"/>\n", x_of(p, value), TOP + PLOT);
            fprintf(out, "<text x=\"%.1f\" y=\"%d\" class=\"v m\">%g</text>\n", x_of(p, value),
                    TOP + PLOT + 18, value);
        }
    }
    fprintf(out, "<path d=\"M%d %dv%dh%d\" fill=\"none\" stroke=\"#333\"/>\n", p->left, TOP, PLOT,
            PANEL);
    fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"v m\">iterations</text>\n", p->left + PANEL / 2,
            TOP + PLOT + 34);
}

static void draw_curves(const jacobi_run *run, const jacobi_case *of, const panel *p, FILE *out) {
    for (int k = p->speedup ? 1 : 0; k < run->solver_count; k++) {
        double before_x = NAN, before_y = NAN;
        for (int i = 0; i < of->point_count; i++) {
            double value = value_of(run, p, &of->points[i], k);
            if (!(value > 0.0)) continue;
            double x = x_of(p, of->points[i].results[k].iterations), y = y_of(p, value);
            if (!isnan(before_x))
                fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\"/>\n", before_x,
                        before_y, x, y, colour_of(run, k));
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x, y,
                    colour_of(run, k));
            before_x = x;
            before_y = y;
        }
    }
}

// Where the matrix's transfer is a tenth of the time.
static void draw_tenth(const jacobi_run *run, const jacobi_case *of, const panel *p, FILE *out) {
    jacobi_answer a = jacobi_answer_of(run, of, jacobi_main_solver(run));
    double at = a.tenth > 0.0 ? part(&p->x, a.tenth) : -1.0;
    if (!(at >= 0.0 && at <= 1.0)) return;
    fprintf(out, "<path d=\"M%.1f %dv%d\" stroke=\"#333\" stroke-dasharray=\"5 4\"/>\n",
            x_of(p, a.tenth), TOP, PLOT);
    fprintf(out, "<text x=\"%.1f\" y=\"%d\" class=\"v e\">transfer: a tenth, from %.0f on</text>\n",
            x_of(p, a.tenth) - 5, TOP + 12, a.tenth);
}

static void draw_legend(const jacobi_run *run, FILE *out) {
    int shown = 0;
    for (int k = 0; k < run->solver_count; k++) {
        if (!is_drawn(run, k)) continue;
        int y = LEGEND + 16 * (shown / 4), x = LEFT + 220 * (shown % 4);
        fprintf(out, "<path d=\"M%d %dh18\" stroke-width=\"3\" stroke=\"%s\"/>\n", x, y - 4,
                colour_of(run, k));
        fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"v\">%s</text>\n", x + 24, y,
                run->solvers[k].name);
        shown++;
    }
}

void jacobi_draw(const jacobi_run *run, const jacobi_case *of, FILE *out) {
    panel time = {LEFT, iterations_of(run, of), times_of(run, of), false};
    panel speedup = {LEFT + PANEL + GAP, time.x, speedups_of(run, of), true};
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\">\n<style>.v{font-size:11px;fill:#333}"
            ".m{text-anchor:middle}.e{text-anchor:end}.t{font-size:13px;fill:#111}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT);
    fprintf(out,
            "<text x=\"8\" y=\"18\" class=\"t\">Jacobi's iteration, order %lld, %s on %s, "
            "transfers included</text>\n",
            (long long)of->order, run->simulated ? "modelled" : "measured", run->device);
    fprintf(out, "<text x=\"%d\" y=\"40\" class=\"v\">time of a solution</text>\n", time.left);
    draw_frame(&time, out);
    draw_curves(run, of, &time, out);
    if (!run->simulated) {
        fprintf(out, "<text x=\"%d\" y=\"40\" class=\"v\">gain over the host's %d threads</text>\n",
                speedup.left, of->points[0].results[0].threads);
        draw_frame(&speedup, out);
        draw_curves(run, of, &speedup, out);
        draw_tenth(run, of, &speedup, out);
    }
    draw_legend(run, out);
    fprintf(out, "</svg>\n");
}

// ---- text --------------------------------------------------------------------------------------

enum { LINES = 14, MOST_COLUMNS = 120, MARGIN = 12 };

static void put_marks(const jacobi_run *run, const jacobi_case *of, const scale *x, const scale *y,
                      int columns, char cells[LINES][MOST_COLUMNS]) {
    for (int i = 0; i < of->point_count; i++) {
        for (int k = 0; k < run->solver_count; k++) {
            const jacobi_result *r = &of->points[i].results[k];
            if (!is_drawn(run, k) || !(r->total_us > 0.0)) continue;
            int column = (int)((columns - 1) * part(x, r->iterations));
            int line = (int)((LINES - 1) * part(y, r->total_us));
            char mark = (char)('1' + k), *cell = &cells[line][column];
            *cell = *cell == ' ' || *cell == mark ? mark : '*';
        }
    }
}

void jacobi_draw_text(const jacobi_run *run, const jacobi_case *of, const kl_style *style,
                      FILE *out) {
    char cells[LINES][MOST_COLUMNS], text[32];
    int columns = style->width - MARGIN < MOST_COLUMNS ? style->width - MARGIN : MOST_COLUMNS;
    columns = columns > 20 ? columns : 20;
    scale x = iterations_of(run, of), y = times_of(run, of);
    memset(cells, ' ', sizeof cells);
    put_marks(run, of, &x, &y, columns, cells);
    fprintf(out, "Time against iterations, order %lld, both logarithmic:", (long long)of->order);
    for (int k = 0, width = 60; k < run->solver_count; k++) {
        if (!is_drawn(run, k)) continue;
        int more = (int)strlen(run->solvers[k].name) + 5;
        if (width + more > style->width) fputc('\n', out), width = 0;
        width += more;
        fprintf(out, " %d %s;", k + 1, run->solvers[k].name);
    }
    fprintf(out, " * several\n\n");
    for (int line = LINES - 1; line >= 0; line--) {
        double us = pow(10.0, y.first + (y.last - y.first) * line / (LINES - 1));
        int end = columns;
        while (end > 0 && cells[line][end - 1] == ' ') end--;
        fprintf(out, "%9s | %.*s\n", line % 4 == 1 ? kl_format_us(us, text, sizeof text) : "", end,
                cells[line]);
    }
    fprintf(out, "          +");
    for (int i = 0; i <= columns; i++) fputc('-', out);
    fprintf(out, "\n            %-*.0f%.0f\n", columns - 5, pow(10.0, x.first), pow(10.0, x.last));
}
