// SPDX-License-Identifier: MIT
// What a run of lab 04's application shows: see app.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "table.h"

enum { TEXT = 64 };

static void columns(kl_table *table, const char *const *titles, int count) {
    kl_table_clear(table);
    for (int i = 0; i < count; i++) kl_table_column(table, titles[i], i == 1 ? KL_LEFT : KL_RIGHT);
}

static void print_head(const jacobi_run *run, const kl_style *style, FILE *out) {
    char text[512];
    double matrix = 4e-6 * (double)run->order * (double)run->order;
    fprintf(out, "Jacobi's iteration, 04_gemv_row%s\ndevice    %s\n",
            run->solution ? " (solution)" : "", run->device);
    if (run->simulated) fprintf(out, "times     modelled, but for the host's\n");
    snprintf(text, sizeof text,
             "order %lld: elements off the diagonal in [0, 1), diagonal alpha times the "
             "row's sum, b in [-0.5, 0.5), x[0] = 0; the matrix (%.3g MB) lies in %s host memory "
             "and is sent once",
             (long long)run->order, matrix, run->page_locked ? "page-locked" : "pageable");
    fputs("system    ", out);
    kl_print_wrapped(out, style, 10, text);
    snprintf(
        text, sizeof text,
        "max |x[k+1] - x[k]| <= %.2g max |x[k+1]|, at most %d iterations; the "
        "residual is max |b - A x| / |diagonal| over max |x|, in double precision; bound: of the "
        "contraction, max of the rows' sums over their diagonals; found: by how much the "
        "changes shrank per iteration",
        (double)run->goal.tolerance, run->goal.limit);
    fputs("until     ", out);
    kl_print_wrapped(out, style, 10, text);
    fputc('\n', out);
}

static void solution_row(const jacobi_run *run, const jacobi_point *point, int k, kl_table *table) {
    const jacobi_result *r = &point->results[k];
    char text[TEXT];
    int row = kl_table_row(table);
    double speedup = jacobi_speedup(run, point, k);
    bool small = r->residual <= (double)run->goal.tolerance;
    if (k == 0) {
        kl_table_cell(table, row, 0, KL_PLAIN, "%g", point->alpha);
        kl_table_cell(table, row, 1, KL_PLAIN, "%s, %d thread%s", run->solvers[k].name, r->threads,
                      r->threads == 1 ? "" : "s");
    } else {
        kl_table_cell(table, row, 1, KL_PLAIN, "%s", run->solvers[k].name);
    }
    kl_table_cell(table, row, 2, r->converged ? KL_PLAIN : KL_BAD, "%d%s", r->iterations,
                  r->converged ? "" : ", no end");
    kl_table_cell(table, row, 3, KL_PLAIN, "%.3f", point->bound);
    if (isnan(r->contraction))
        kl_table_cell(table, row, 4, KL_PLAIN, "-");
    else
        kl_table_cell(table, row, 4, KL_PLAIN, "%.3f", r->contraction);
    kl_table_cell(table, row, 5, small ? KL_PLAIN : KL_BAD, "%.1e", r->residual);
    kl_table_cell(table, row, 6, KL_PLAIN, "%s", kl_format_us(r->total_us, text, sizeof text));
    if (isnan(speedup))
        kl_table_cell(table, row, 7, KL_PLAIN, "-");
    else
        kl_table_cell(table, row, 7, KL_PLAIN, "%.2fx", speedup);
}

static void print_solutions(const jacobi_run *run, kl_table *table, const kl_style *style,
                            FILE *out) {
    static const char *const titles[] = {"alpha", "solution", "iterations", "bound",
                                         "found", "residual", "time",       "gain"};
    columns(table, titles, 8);
    for (int i = 0; i < run->point_count; i++)
        for (int k = 0; k < run->solver_count; k++) solution_row(run, &run->points[i], k, table);
    kl_table_print(table, style, out);
}

static void traffic_cells(kl_table *table, int row, int column, const jacobi_traffic *t) {
    char text[TEXT];
    kl_table_cell(table, row, column, KL_PLAIN, "%s",
                  kl_format_count((double)t->bytes, text, sizeof text));
    kl_table_cell(table, row, column + 1, KL_PLAIN, "%lld", (long long)t->calls);
}

static void print_traffic(const jacobi_run *run, kl_table *table, const kl_style *style,
                          FILE *out) {
    static const char *const titles[] = {"alpha", "solution", "iterations", "to device",
                                         "calls", "to host",  "calls"};
    columns(table, titles, 7);
    for (int i = 0; i < run->point_count; i++) {
        for (int k = 1; k < run->solver_count; k++) {
            const jacobi_result *r = &run->points[i].results[k];
            int row = kl_table_row(table);
            if (k == 1) kl_table_cell(table, row, 0, KL_PLAIN, "%g", run->points[i].alpha);
            kl_table_cell(table, row, 1, KL_PLAIN, "%s", run->solvers[k].name);
            kl_table_cell(table, row, 2, KL_PLAIN, "%d", r->iterations);
            traffic_cells(table, row, 3, &r->to_device);
            traffic_cells(table, row, 5, &r->to_host);
        }
    }
    fprintf(out, "\nTransfers, in bytes\n\n");
    kl_table_print(table, style, out);
}

static void print_failures(const jacobi_run *run, FILE *out) {
    for (int i = 0; i < run->point_count; i++) {
        for (int k = 0; k < run->solver_count; k++) {
            const jacobi_result *r = &run->points[i].results[k];
            const char *name = run->solvers[k].name;
            double alpha = run->points[i].alpha;
            if (isnan(r->residual))
                fprintf(out, "alpha %g, %s: a NaN or an infinity after %d iterations\n", alpha,
                        name, r->iterations);
            else if (!r->converged)
                fprintf(out, "alpha %g, %s: not within the tolerance after %d iterations\n", alpha,
                        name, r->iterations);
            else if (!(r->residual <= (double)run->goal.tolerance))
                fprintf(out,
                        "alpha %g, %s: the iteration ended, but its residual %.2g is above the "
                        "tolerance: its products are wrong\n",
                        alpha, name, r->residual);
        }
    }
}

void jacobi_print(const jacobi_run *run, FILE *out) {
    kl_style style = kl_style_for(out);
    kl_table *table = calloc(1, sizeof *table);
    if (table == NULL) return;
    print_head(run, &style, out);
    print_solutions(run, table, &style, out);
    print_traffic(run, table, &style, out);
    if (!jacobi_all_right(run)) fputc('\n', out);
    print_failures(run, out);
    free(table);
}
