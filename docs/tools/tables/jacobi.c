// SPDX-License-Identifier: MIT
// Tables of lab 04's application in Markdown (its document `jacobi` of each card, as
// `ladder run gemv_row --app --json` wrote it): see tables.h. Beside a GPU's iterations stand those
// of the simulator, where both have the order.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measured.h"
#include "stored/jacobi.h"
#include "tables/tables.h"

static void print_number(FILE *out, const char *format, double value) {
    if (isfinite(value))
        fprintf(out, format, value);
    else
        fputs(" |", out);
}

static void print_orders(FILE *out, const jacobi_run *run) {
    int solver = jacobi_main_solver(run);
    fprintf(out,
            "\nMeasured on %s, %d threads of the host; microseconds. Transfer: of the matrix, from "
            "%s memory.\n\n| order | transfer |",
            run->device, run->cases[0].points[0].results[0].threads,
            run->page_locked ? "page-locked" : "pageable");
    for (int k = 0; k < run->solver_count; k++)
        fprintf(out, " iteration, %s |", run->solvers[k].name);
    fputs(
        " transfer is half of the time at | a tenth from | faster than the host from |\n|---|---:|",
        out);
    for (int k = 0; k < run->solver_count; k++) fputs("---:|", out);
    fputs("---:|---:|---:|\n", out);
    for (int i = 0; i < run->case_count; i++) {
        jacobi_answer a = jacobi_answer_of(run, &run->cases[i], solver);
        fprintf(out, "| %lld |", (long long)run->cases[i].order);
        print_number(out, " %.0f |", a.matrix_us);
        for (int k = 0; k < run->solver_count; k++)
            print_number(out, " %.1f |", jacobi_answer_of(run, &run->cases[i], k).iteration_us);
        print_number(out, " %.0f |", a.half);
        print_number(out, " %.0f |", a.tenth);
        print_number(out, " %.0f |\n", a.even);
    }
}

static void print_case(FILE *out, const jacobi_run *run, const jacobi_case *of) {
    fprintf(out,
            "\nOrder %lld: iterations, and milliseconds with transfers (gain over the "
            "host).\n\n| alpha | bound | found |",
            (long long)of->order);
    for (int k = 0; k < run->solver_count; k++) fprintf(out, " %s |", run->solvers[k].name);
    fputs("\n|---:|---:|---:|", out);
    for (int k = 0; k < run->solver_count; k++) fputs("---:|", out);
    fputc('\n', out);
    for (int i = 0; i < of->point_count; i++) {
        const jacobi_point *p = &of->points[i];
        fprintf(out, "| %g |", p->alpha);
        print_number(out, " %.3f |", p->bound);
        print_number(out, " %.3f |", p->results[jacobi_main_solver(run)].contraction);
        for (int k = 0; k < run->solver_count; k++) {
            double gain = jacobi_speedup(run, p, k);
            fprintf(out, " %d: %.1f", p->results[k].iterations, 1e-3 * p->results[k].total_us);
            if (k > 0 && isfinite(gain)) fprintf(out, " (%.1fx)", gain);
            fputs(" |", out);
        }
        fputc('\n', out);
    }
}

// What the paper says of its order, and how much of the time the transfer is then here.
static void print_share(FILE *out, const jacobi_run *run, const jacobi_case *of) {
    enum { PAPER_ITERATIONS = 140 };
    jacobi_answer a = jacobi_answer_of(run, of, jacobi_main_solver(run));
    double bytes = 4.0 * (double)of->order * (double)of->order;
    fprintf(out,
            "\nAfter the paper's %d iterations the transfer, at %.1f GB/s, is %.0f %% of the time; "
            "from %.0f iterations on it is at most a tenth.\n",
            PAPER_ITERATIONS, 1e-3 * bytes / a.matrix_us,
            100.0 * jacobi_share(&a, PAPER_ITERATIONS), a.tenth);
}

// Orders that both have, the main solver.
static void print_model(FILE *out, const jacobi_run *run, const jacobi_run *model) {
    int k = jacobi_main_solver(run), m = jacobi_main_solver(model);
    fputs("\n| order | iteration, measured | modelled | transfer, measured | modelled |\n"
          "|---|---:|---:|---:|---:|\n",
          out);
    for (int i = 0; i < run->case_count; i++) {
        for (int j = 0; j < model->case_count; j++) {
            if (run->cases[i].order != model->cases[j].order) continue;
            jacobi_answer a = jacobi_answer_of(run, &run->cases[i], k);
            jacobi_answer b = jacobi_answer_of(model, &model->cases[j], m);
            fprintf(out, "| %lld | %.1f us | %.1f us | %.1f us | %.1f us |\n",
                    (long long)run->cases[i].order, a.iteration_us, b.iteration_us, a.matrix_us,
                    b.matrix_us);
        }
    }
}

static bool load(const json_t *json, jacobi_run *run) {
    if (stored_jacobi_load(json, run)) return true;
    fputs("ladder-tables: the application's results are not as gemv_row_app writes them\n", stderr);
    return false;
}

static bool print_run(FILE *out, const char *root, const char *lab, const json_t *json,
                      jacobi_run *run, jacobi_run *model) {
    enum { PAPER_ORDER = 8192 };
    if (!load(json, run)) return false;
    tables_fold(out, run->device);
    print_orders(out, run);
    for (int i = 0; i < run->case_count; i++) {
        if (run->cases[i].order != PAPER_ORDER) continue;
        print_case(out, run, &run->cases[i]);
        print_share(out, run, &run->cases[i]);
    }
    char labs[4096];
    snprintf(labs, sizeof labs, "%s/labs", root);
    json_t *modelled = measured_load_model(labs, lab, json);
    bool good = !modelled || load(modelled, model);
    if (modelled && good) print_model(out, run, model);
    json_decref(modelled);
    fputc('\n', out);
    tables_unfold(out);
    return good;
}

bool tables_print_jacobi(FILE *out, const char *root, const char *lab) {
    json_t *devices[TABLES_DEVICES];
    int count = tables_load_devices(root, lab, "jacobi", "ladder.jacobi/1", devices);
    jacobi_run *runs = calloc(2, sizeof *runs);
    bool good = count > 0 && runs;
    for (int i = 0; i < count; i++) {
        good = good && print_run(out, root, lab, devices[i], &runs[0], &runs[1]);
        json_decref(devices[i]);
    }
    free(runs);
    return good;
}
