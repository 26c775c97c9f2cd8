// Pictures of a run of lab 04's application: see app.h. Pure functions of the run. Both axes are
// logarithmic: a straight line that is level at first and rises later is a transfer and the
// iterations behind it.
#include "app.h"
#include "paper.h"
#include "stats.h"

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
    WIDTH = 780,
    HEIGHT = 366,
    LEFT = 56,
    PANEL = 310,
    GAP = 84,
    TOP = 50,
    PLOT = 216, // height
    LEGEND = TOP + PLOT + 54,
    CLASS_BYTES = 16
};

// Of the paper's series (paper.h), the host's and the library's always the same.
static int series_of(const jacobi_run *run, int solver) {
    static const int steps[] = {0, 3, 1, 4, 5, 6};
    if (run->solvers[solver].kind == JACOBI_CPU) return 7;
    return run->solvers[solver].kind == JACOBI_VENDOR ? 2 : steps[(solver - 1) % 6];
}

static const char *class_of(const jacobi_run *run, int solver, const char *shape, char *text) {
    snprintf(text, CLASS_BYTES, "s%d %s", series_of(run, solver), shape);
    return text;
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

static const int digits[] = {1, 2, 5};
enum { DIGITS = 3 };

static void draw_rates(const panel *p, FILE *out) {
    char text[32];
    for (int e = (int)floor(p->y.first); e <= (int)ceil(p->y.last); e++) {
        for (int d = 0; d < DIGITS; d++) {
            double value = digits[d] * pow(10.0, e), at = part(&p->y, value);
            if (at < 0.0 || at > 1.0 || !is_marked(&p->y, digits[d])) continue;
            name_value(p, value, text, sizeof text);
            kl_paper_line(out, p->left, y_of(p, value), p->left + PANEL, y_of(p, value), "grid");
            kl_paper_text(out, p->left - 6, y_of(p, value) + 4, "v e", "%s", text);
        }
    }
}

static void draw_frame(const panel *p, FILE *out) {
    int bottom = TOP + PLOT;
    draw_rates(p, out);
    for (int e = (int)floor(p->x.first); e <= (int)ceil(p->x.last); e++) {
        for (int d = 0; d < DIGITS; d++) {
            double value = digits[d] * pow(10.0, e), at = part(&p->x, value);
            if (at < 0.0 || at > 1.0 || !is_marked(&p->x, digits[d])) continue;
            kl_paper_line(out, x_of(p, value), bottom, x_of(p, value), bottom + 4, "axis");
            kl_paper_text(out, x_of(p, value), bottom + 18, "v m", "%g", value);
        }
    }
    kl_paper_line(out, p->left, TOP, p->left, bottom, "axis");
    kl_paper_line(out, p->left, bottom, p->left + PANEL, bottom, "axis");
    kl_paper_text(out, p->left + PANEL / 2, bottom + 34, "v m", "iterations");
}

static void draw_curves(const jacobi_run *run, const jacobi_case *of, const panel *p, FILE *out) {
    char text[CLASS_BYTES];
    for (int k = p->speedup ? 1 : 0; k < run->solver_count; k++) {
        double before_x = NAN, before_y = NAN;
        fprintf(out, "<g stroke-dasharray=\"%s\">", kl_paper_dashes(k));
        for (int i = 0; i < of->point_count; i++) {
            double value = value_of(run, p, &of->points[i], k);
            if (!(value > 0.0)) continue;
            double x = x_of(p, of->points[i].results[k].iterations), y = y_of(p, value);
            if (!isnan(before_x))
                kl_paper_line(out, before_x, before_y, x, y, class_of(run, k, "line", text));
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" class=\"%s\"/>\n", x, y,
                    class_of(run, k, "area", text));
            before_x = x;
            before_y = y;
        }
        fputs("</g>", out);
    }
}

// Where the matrix's transfer is a tenth of the time.
static void draw_tenth(const jacobi_run *run, const jacobi_case *of, const panel *p, FILE *out) {
    jacobi_answer a = jacobi_answer_of(run, of, jacobi_main_solver(run));
    double at = a.tenth > 0.0 ? part(&p->x, a.tenth) : -1.0;
    if (!(at >= 0.0 && at <= 1.0)) return;
    kl_paper_line(out, x_of(p, a.tenth), TOP, x_of(p, a.tenth), TOP + PLOT, "dash");
    kl_paper_text(out, x_of(p, a.tenth) - 5, TOP + PLOT - 8, "v e",
                  "transfer: a tenth, from %.0f on", a.tenth);
}

static void draw_legend(const jacobi_run *run, FILE *out) {
    char text[CLASS_BYTES];
    int shown = 0;
    for (int k = 0; k < run->solver_count; k++) {
        if (!is_drawn(run, k)) continue;
        int y = LEGEND + 16 * (shown / 4), x = LEFT + 180 * (shown % 4);
        fprintf(out, "<g stroke-dasharray=\"%s\">", kl_paper_dashes(k));
        kl_paper_line(out, x, y - 4, x + 24, y - 4, class_of(run, k, "line", text));
        fputs("</g>", out);
        kl_paper_text(out, x + 30, y, "v", "%s", run->solvers[k].name);
        shown++;
    }
}

// What the curves show, for those who cannot see them: the main solver's least and highest gain.
static void say_gains(const jacobi_run *run, const jacobi_case *of, char *text, size_t bytes) {
    int solver = jacobi_main_solver(run), most = -1, least = -1;
    int at = snprintf(text, bytes,
                      "Time of a solution, and gain over the host, against the number of "
                      "iterations");
    for (int i = 0; i < of->point_count; i++) {
        double gain = jacobi_speedup(run, &of->points[i], solver);
        if (!(gain > 0.0)) continue;
        if (most < 0 || gain > jacobi_speedup(run, &of->points[most], solver)) most = i;
        if (least < 0 || gain < jacobi_speedup(run, &of->points[least], solver)) least = i;
    }
    if (run->simulated || most < 0 || at < 0 || (size_t)at >= bytes) return;
    snprintf(text + at, bytes - (size_t)at,
             "; gain of %s: lowest %.1fx (%lld iterations), "
             "highest %.1fx (%lld)",
             run->solvers[solver].name, jacobi_speedup(run, &of->points[least], solver),
             (long long)of->points[least].results[solver].iterations,
             jacobi_speedup(run, &of->points[most], solver),
             (long long)of->points[most].results[solver].iterations);
}

void jacobi_draw(const jacobi_run *run, const jacobi_case *of, FILE *out) {
    panel time = {LEFT, iterations_of(run, of), times_of(run, of), false};
    panel speedup = {LEFT + PANEL + GAP, time.x, speedups_of(run, of), true};
    char words[400];
    say_gains(run, of, words, sizeof words);
    kl_paper_begin(out, WIDTH, HEIGHT, words);
    kl_paper_text(out, 8, 18, "t", "Jacobi's iteration, order %lld, %s on %s, transfers included",
                  (long long)of->order, run->simulated ? "modelled" : "measured", run->device);
    kl_paper_text(out, time.left, 40, "v", "time of a solution");
    draw_frame(&time, out);
    draw_curves(run, of, &time, out);
    if (!run->simulated) {
        kl_paper_text(out, speedup.left, 40, "v", "gain over the host's %d threads",
                      of->points[0].results[0].threads);
        draw_frame(&speedup, out);
        draw_curves(run, of, &speedup, out);
        draw_tenth(run, of, &speedup, out);
    }
    draw_legend(run, out);
    kl_paper_end(out);
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

// ---- What follows from a run ----

// Pure functions of the run.

bool jacobi_all_right(const jacobi_run *run) {
    for (int c = 0; c < run->case_count; c++)
        for (int i = 0; i < run->cases[c].point_count; i++)
            for (int k = 0; k < run->solver_count; k++) {
                const jacobi_result *r = &run->cases[c].points[i].results[k];
                if (!r->converged || !(r->residual <= (double)run->goal.tolerance)) return false;
            }
    return true;
}

double jacobi_speedup(const jacobi_run *run, const jacobi_point *point, int solver) {
    const jacobi_result *host = &point->results[0], *r = &point->results[solver];
    if (run->simulated || host->iterations != r->iterations) return NAN;
    return host->total_us / r->total_us;
}

// Of total_us over iterations, by least squares; NaN when all points have the same number.
static double slope(const jacobi_case *of, int solver) {
    double count = of->point_count, mean_k = 0.0, mean_us = 0.0, kk = 0.0, kt = 0.0;
    for (int i = 0; i < of->point_count; i++) {
        mean_k += of->points[i].results[solver].iterations / count;
        mean_us += of->points[i].results[solver].total_us / count;
    }
    for (int i = 0; i < of->point_count; i++) {
        double k = of->points[i].results[solver].iterations - mean_k;
        kk += k * k;
        kt += k * (of->points[i].results[solver].total_us - mean_us);
    }
    return kk > 0.0 ? kt / kk : NAN;
}

// The next whole number; a value that rounding has raised above one stays there.
static double whole(double value) {
    return ceil(value * (1.0 - 1e-9));
}

jacobi_answer jacobi_answer_of(const jacobi_run *run, const jacobi_case *of, int solver) {
    jacobi_answer a = {NAN, NAN, NAN, NAN, NAN, NAN};
    double matrix[JACOBI_MOST_ALPHAS];
    for (int i = 0; i < of->point_count; i++) matrix[i] = of->points[i].results[solver].matrix_us;
    if (of->point_count == 0) return a;
    a.iteration_us = slope(of, solver);
    a.matrix_us = kl_median(matrix, (size_t)of->point_count);
    if (!run->simulated) a.host_iteration_us = slope(of, 0); // a modelled time beside a real one
    a.half = whole(a.matrix_us / a.iteration_us);
    a.tenth = whole(9.0 * a.matrix_us / a.iteration_us);
    if (a.host_iteration_us > a.iteration_us)
        a.even = whole(a.matrix_us / (a.host_iteration_us - a.iteration_us));
    return a;
}

double jacobi_share(const jacobi_answer *a, double k) {
    return a->matrix_us / (a->matrix_us + k * a->iteration_us);
}

int jacobi_main_solver(const jacobi_run *run) {
    int found = 0;
    for (int k = 1; k < run->solver_count; k++)
        if (run->solvers[k].kind == JACOBI_STEP && run->solvers[k].resident) found = k;
    return found;
}
