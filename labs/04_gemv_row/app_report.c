// What a run of lab 04's application shows: see app.h.
#include "app.h"
#include "json.h"

enum { TEXT = 64 };

static void columns(kl_table *table, const char *const *titles, int count) {
    kl_table_clear(table);
    for (int i = 0; i < count; i++) kl_table_column(table, titles[i], i == 1 ? KL_LEFT : KL_RIGHT);
}

static void print_head(const jacobi_run *run, const kl_style *style, FILE *out) {
    char text[512];
    fprintf(out, "Jacobi's iteration, 04_gemv_row%s\ndevice    %s\n",
            run->solution ? " (solution)" : "", run->device);
    if (run->simulated)
        fprintf(out, "times     modelled, but for the host's; transfers included\n");
    else
        fprintf(out, "times     medians of up to %d runs, transfers included\n", run->repeat);
    const char *file = !run->matrix_file ? "" : strrchr(run->matrix_file, '/');
    file = !file ? run->matrix_file : file[0] == '/' ? file + 1 : file;
    if (run->matrix_file)
        snprintf(text, sizeof text, "%.200s, b in [-0.5, 0.5), x[0] = 0; the matrix", file);
    else
        snprintf(text, sizeof text,
                 "elements off the diagonal in [0, 1), diagonal alpha times the row's sum, b in "
                 "[-0.5, 0.5), x[0] = 0; the matrix");
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, " lies in %s host memory and is sent once",
             run->page_locked ? "page-locked" : "pageable");
    fputs("system    ", out);
    kl_print_wrapped(out, style, 10, text);
    fputs("until     ", out);
    kl_print_text(out, style, 10,
                  "max |x[k+1] - x[k]| <= %.2g max |x[k+1]|, at most %d iterations; residual: max "
                  "|b - A x| / |diagonal| over max |x|, in double precision; bound: of the "
                  "contraction, max of the rows' sums over their diagonals; found: by how much "
                  "the changes shrank per iteration",
                  (double)run->goal.tolerance, run->goal.limit);
}

static void alpha_cell(kl_table *table, int row, const jacobi_point *point) {
    if (isnan(point->alpha))
        kl_table_cell(table, row, 0, KL_PLAIN, "-");
    else
        kl_table_cell(table, row, 0, KL_PLAIN, "%g", point->alpha);
}

static void solution_row(const jacobi_run *run, const jacobi_point *point, int k, kl_table *table) {
    const jacobi_result *r = &point->results[k];
    char text[TEXT];
    int row = kl_table_row(table);
    double speedup = jacobi_speedup(run, point, k);
    bool small = r->residual <= (double)run->goal.tolerance;
    if (k == 0) {
        alpha_cell(table, row, point);
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

static void print_solutions(const jacobi_run *run, const jacobi_case *of, kl_table *table,
                            const kl_style *style, FILE *out) {
    static const char *const titles[] = {"alpha", "solution", "iterations", "bound",
                                         "found", "residual", "time",       "gain"};
    char text[TEXT];
    columns(table, titles, 8);
    for (int i = 0; i < of->point_count; i++)
        for (int k = 0; k < run->solver_count; k++) solution_row(run, &of->points[i], k, table);
    fprintf(out, "\nOrder %lld, a matrix of %s bytes\n\n", (long long)of->order,
            kl_format_count(4.0 * (double)of->order * (double)of->order, text, sizeof text));
    kl_table_print(table, style, out);
}

static void traffic_cells(kl_table *table, int row, int column, const jacobi_traffic *t) {
    char text[TEXT];
    kl_table_cell(table, row, column, KL_PLAIN, "%s",
                  kl_format_count((double)t->bytes, text, sizeof text));
    kl_table_cell(table, row, column + 1, KL_PLAIN, "%lld", (long long)t->calls);
}

static void print_traffic(const jacobi_run *run, const jacobi_case *of, kl_table *table,
                          const kl_style *style, FILE *out) {
    static const char *const titles[] = {"alpha", "solution", "iterations", "to device",
                                         "calls", "to host",  "calls",      "matrix"};
    char text[TEXT];
    columns(table, titles, 8);
    for (int i = 0; i < of->point_count; i++) {
        for (int k = 1; k < run->solver_count; k++) {
            const jacobi_result *r = &of->points[i].results[k];
            int row = kl_table_row(table);
            if (k == 1) alpha_cell(table, row, &of->points[i]);
            kl_table_cell(table, row, 1, KL_PLAIN, "%s", run->solvers[k].name);
            kl_table_cell(table, row, 2, KL_PLAIN, "%d", r->iterations);
            traffic_cells(table, row, 3, &r->to_device);
            traffic_cells(table, row, 5, &r->to_host);
            kl_table_cell(table, row, 7, KL_PLAIN, "%s",
                          kl_format_us(r->matrix_us, text, sizeof text));
        }
    }
    fprintf(out, "\nTransfers, in bytes, and the time of the matrix's\n\n");
    kl_table_print(table, style, out);
}

// The question of the paper's figure 4.
static void print_answer(const jacobi_run *run, const jacobi_case *of, const kl_style *style,
                         FILE *out) {
    enum { PAPER_ORDER = 8192, PAPER_ITERATIONS = 140 };
    char matrix[TEXT], iteration[TEXT], text[1024];
    int solver = jacobi_main_solver(run), used;
    jacobi_answer a = jacobi_answer_of(run, of, solver);
    fputc('\n', out);
    if (isnan(a.iteration_us)) {
        fprintf(out, "Two values of alpha or more tell when transfers stop mattering.\n");
        return;
    }
    used =
        snprintf(text, sizeof text,
                 "With %s the transfer of the matrix takes %s and an iteration %s%s. The transfer "
                 "is half of the time at iteration %.0f, and at most a tenth from iteration %.0f "
                 "on.",
                 run->solvers[solver].name, kl_format_us(a.matrix_us, matrix, sizeof matrix),
                 kl_format_us(a.iteration_us, iteration, sizeof iteration),
                 run->simulated ? ", both modelled" : "", a.half, a.tenth);
    if (!isnan(a.even))
        used += snprintf(text + used, sizeof text - (size_t)used,
                         " The device is faster than the host from iteration %.0f on.", a.even);
    if (of->order == PAPER_ORDER)
        snprintf(text + used, sizeof text - (size_t)used,
                 " The paper calls transfers negligible from %d iterations on; here they are %.0f "
                 "%% of the time then.",
                 PAPER_ITERATIONS, 100.0 * jacobi_share(&a, PAPER_ITERATIONS));
    kl_print_wrapped(out, style, 0, text);
}

static void print_failure(const jacobi_run *run, const jacobi_case *of, const jacobi_point *point,
                          int k, FILE *out) {
    const jacobi_result *r = &point->results[k];
    char where[128];
    if (isnan(point->alpha))
        snprintf(where, sizeof where, "order %lld, %s", (long long)of->order, run->solvers[k].name);
    else
        snprintf(where, sizeof where, "order %lld, alpha %g, %s", (long long)of->order,
                 point->alpha, run->solvers[k].name);
    if (isnan(r->residual))
        fprintf(out, "%s: a NaN or an infinity after %d iterations\n", where, r->iterations);
    else if (!r->converged)
        fprintf(out, "%s: not within the tolerance after %d iterations\n", where, r->iterations);
    else if (!(r->residual <= (double)run->goal.tolerance))
        fprintf(out, "%s: ended, but the residual %.2g is above the tolerance\n", where,
                r->residual);
}

static void print_failures(const jacobi_run *run, FILE *out) {
    fputc('\n', out);
    if (!(run->cases[0].points[0].bound < 1.0))
        fprintf(out,
                "The bound of the contraction is %.3g, not below 1: the iteration need not "
                "converge.\n",
                run->cases[0].points[0].bound);
    for (int c = 0; c < run->case_count; c++)
        for (int i = 0; i < run->cases[c].point_count; i++)
            for (int k = 0; k < run->solver_count; k++)
                print_failure(run, &run->cases[c], &run->cases[c].points[i], k, out);
}

void jacobi_print(const jacobi_run *run, FILE *out) {
    kl_style style = kl_style_for(out);
    kl_table *table = calloc(1, sizeof *table);
    if (!table) return;
    print_head(run, &style, out);
    for (int c = 0; c < run->case_count; c++) {
        const jacobi_case *of = &run->cases[c];
        print_solutions(run, of, table, &style, out);
        print_traffic(run, of, table, &style, out);
        if (of->point_count > 1) fputc('\n', out);
        if (of->point_count > 1) jacobi_draw_text(run, of, &style, out);
        print_answer(run, of, &style, out);
    }
    if (!jacobi_all_right(run)) print_failures(run, out);
    free(table);
}

// ---- JSON --------------------------------------------------------------------------------------

static void write_traffic(kl_json *json, const char *key, const jacobi_traffic *t) {
    kl_json_put(json, "%s {bytes %ld calls %ld}", key, t->bytes, t->calls);
}

static void write_point(kl_json *json, const jacobi_run *run, const jacobi_point *point) {
    kl_json_put(json, "(alpha %g bound %g", point->alpha, point->bound);
    kl_json_line(json);
    kl_json_array(json, "solutions");
    for (int k = 0; k < run->solver_count; k++) {
        const jacobi_result *r = &point->results[k];
        kl_json_put(json, "(iterations %d converged %hhd contraction %g residual %g total_us %g",
                    r->iterations, r->converged, r->contraction, r->residual, r->total_us);
        if (k == 0) {
            kl_json_int(json, "threads", r->threads);
        } else {
            kl_json_put(json, "matrix_us %g prepare_us %g", r->matrix_us, r->prepare_us);
            write_traffic(json, "to_device", &r->to_device);
            write_traffic(json, "to_host", &r->to_host);
        }
        kl_json_put(json, "speedup %g)", jacobi_speedup(run, point, k));
    }
    kl_json_put(json, "])");
}

static void write_case(kl_json *json, const jacobi_run *run, const jacobi_case *of) {
    jacobi_answer a = jacobi_answer_of(run, of, jacobi_main_solver(run));
    kl_json_put(json,
                "{order %ld answer (solver %s matrix_us %g iteration_us %g "
                "host_iteration_us %g half %g tenth %g faster_than_host %g) points [",
                of->order, run->solvers[jacobi_main_solver(run)].name, a.matrix_us, a.iteration_us,
                a.host_iteration_us, a.half, a.tenth, a.even);
    for (int i = 0; i < of->point_count; i++) write_point(json, run, &of->points[i]);
    kl_json_put(json, "]}");
}

kl_status jacobi_write_json(const jacobi_run *run, FILE *out, kl_error *err) {
    static const char *const kinds[] = {"host", "step", "vendor"};
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json,
                "{schema ladder.jacobi/1 lab gemv_row solution %hhd device %s kind %s "
                "page_locked %hhd seed %lu tolerance %g limit %d repeat %d ok %hhd solvers [",
                run->solution, run->device, run->simulated ? "sim" : "gpu", run->page_locked,
                run->seed, (double)run->goal.tolerance, run->goal.limit, run->repeat,
                jacobi_all_right(run));
    for (int k = 0; k < run->solver_count; k++) {
        kl_json_put(&json, "(name %s kind %s resident %hhd)", run->solvers[k].name,
                    kinds[run->solvers[k].kind], run->solvers[k].resident);
    }
    kl_json_put(&json, "] cases [");
    for (int c = 0; c < run->case_count; c++) write_case(&json, run, &run->cases[c]);
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}
