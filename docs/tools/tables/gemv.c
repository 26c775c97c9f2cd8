// Tables of labs 04 and 05 in Markdown, see tables.h: lab 04's application (its document `jacobi`
// of each card, as `ladder run gemv_row --app --json` wrote it; beside a GPU's iterations stand
// those of the simulator, where both have the order), a grid of shapes (`grid`, `ladder run LAB
// --grid --json`) and the indices that its threads touch (`indices` of the simulator).
#include "measured.h"
#include "stored/stored.h"
#include "tables/tables.h"

// ---- the application ----

static void print_number(FILE *out, const char *format, double value) {
    if (isfinite(value)) fprintf(out, format, value);
    else fputs(" |", out);
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
    fputs("ladder-docs tables: the application's results are not as gemv_row_app writes them\n",
          stderr);
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
    int count = tables_load_folded(root, lab, "jacobi", "ladder.jacobi/1", devices);
    jacobi_run *runs = calloc(2, sizeof *runs);
    bool good = count > 0 && runs;
    for (int i = 0; i < count; i++) {
        good = good && print_run(out, root, lab, devices[i], &runs[0], &runs[1]);
        json_decref(devices[i]);
    }
    free(runs);
    return good;
}

// ---- the grid of shapes ----

static void print_methods(FILE *out, const json_t *run) {
    size_t i;
    json_t *method;
    int cases =
        (int)(json_array_size(json_object_get(run, "shapes")) * measured_number(run, "seeds"));
    fprintf(out,
            "\nMeasured on %s: %zu shapes, %d seeds each, cold L2. The average is over all %d "
            "cases, the gain the geometric mean over the shapes.\n\n",
            measured_text(run, "device"), json_array_size(json_object_get(run, "shapes")),
            (int)measured_number(run, "seeds"), cases);
    fputs("| product | method | average us | cases faster than naive | than the library | gain "
          "over the library | least |\n|---|---|---:|---:|---:|---:|---:|\n",
          out);
    json_array_foreach(json_object_get(run, "methods"), i, method) {
        if (json_object_get(method, "width")) continue;
        fprintf(out, "| %s | %s | %.1f |", measured_text(method, "product"),
                measured_text(method, "name"), measured_number(method, "average_us"));
        fprintf(out, " %d of %d |", (int)measured_number(method, "wins_over_naive"), cases);
        if (measured_number(method, "step") < 0) fputs(" | | |\n", out);
        else
            fprintf(out, " %d of %d | %.2f x | %.2f x |\n",
                    (int)measured_number(method, "wins_over_library"), cases,
                    measured_number(method, "gain_over_library"),
                    measured_number(method, "least_gain_over_library"));
    }
}

// One row a method, one column a width, in the order of the file.
static void print_widths(FILE *out, const json_t *run) {
    size_t i;
    json_t *method;
    const char *row = "";
    fputs("\n| BLOCK_WIDTH |", out);
    json_array_foreach(json_object_get(run, "methods"), i, method) {
        if (!json_object_get(method, "width")) continue;
        if (*row && strcmp(row, measured_text(method, "name")) != 0) break;
        row = measured_text(method, "name");
        fprintf(out, " %d |", (int)measured_number(method, "width"));
    }
    fputs("\n|---|", out);
    row = "";
    json_array_foreach(json_object_get(run, "methods"), i, method) {
        if (!json_object_get(method, "width")) continue;
        if (*row && strcmp(row, measured_text(method, "name")) != 0) break;
        row = measured_text(method, "name");
        fputs("---:|", out);
    }
    row = "";
    json_array_foreach(json_object_get(run, "methods"), i, method) {
        if (!json_object_get(method, "width")) continue;
        if (strcmp(row, measured_text(method, "name")) != 0) {
            row = measured_text(method, "name");
            fprintf(out, "\n| %s, us |", row);
        }
        fprintf(out, " %.1f |", measured_number(method, "average_us"));
    }
    fputc('\n', out);
}

static void print_grid(FILE *out, const json_t *run) {
    print_methods(out, run);
    print_widths(out, run);
}

bool tables_print_grid(FILE *out, const char *root, const char *lab) {
    return tables_each_card(out, root, lab, "grid", "ladder.grid/1", print_grid);
}

bool tables_print_indices(FILE *out, const char *root, const char *lab) {
    json_t *run = tables_load(root, lab, "indices", "ladder.indices/1"), *step, *thread, *index;
    size_t s, t, k;
    if (!run) return false;
    json_array_foreach(json_object_get(run, "steps"), s, step) {
        const json_t *threads = json_object_get(step, "index");
        fprintf(out, "\nStep %d, %s: indices into %s\n\n| |", (int)measured_number(step, "step"),
                measured_text(step, "name"), measured_text(step, "array"));
        for (k = 0; k < json_array_size(json_array_get(threads, 0)); k++)
            fprintf(out, " iteration %zu |", k);
        fputs("\n|---|", out);
        for (k = 0; k < json_array_size(json_array_get(threads, 0)); k++) fputs("---:|", out);
        fputc('\n', out);
        json_array_foreach(threads, t, thread) {
            fprintf(out, "| thread %zu |", t);
            json_array_foreach(thread, k, index)
                fprintf(out, " %d |", (int)json_integer_value(index));
            fputc('\n', out);
        }
    }
    fputc('\n', out);
    json_decref(run);
    return true;
}
