// The main program of lab 04's application: see app.h.
#include "app.h"

#include "atomic_file.h"
#include "gemv_row.h"
#include "plan.h"
#include "stats.h"
#include "this_machine.h"

// ---- All solutions of a run of lab 04's application ----

extern const kl_adapter kl_lab_adapter;

enum { PATH_BYTES = 4096, ORDER_GPU = 8192, ORDER_SIMULATED = 128, REPEAT_GPU = 3 };

static const double paper_alphas[] = {1.4, 1.2, 1.1};
static const double slow_alphas[] = {1.05, 1.02, 1.01}; // more iterations: only on a GPU

static void add_alphas(jacobi_case *c, const double *alphas, int count) {
    for (int i = 0; i < count && c->point_count < JACOBI_MOST_ALPHAS; i++)
        c->points[c->point_count++].alpha = alphas[i];
}

static void choose_alphas(const jacobi_options *o, bool simulated, jacobi_case *c) {
    if (o->alpha_count > 0) {
        add_alphas(c, o->alphas, o->alpha_count);
    } else {
        add_alphas(c, paper_alphas, 3);
        if (!simulated) add_alphas(c, slow_alphas, 3);
    }
    if (!o->quick || c->point_count < 3) return;
    c->points[1] = c->points[c->point_count - 1];
    c->point_count = 2;
}

// coo: of the file, or NULL.
static void choose_cases(const jacobi_options *o, const kl_coo *coo, jacobi_run *run) {
    if (coo) {
        run->case_count = 1;
        run->cases[0] = (jacobi_case){.order = coo->rows, .point_count = 1};
        run->cases[0].points[0].alpha = NAN;
        return;
    }
    run->case_count = o->order_count > 0 ? o->order_count : 1;
    for (int i = 0; i < run->case_count; i++) {
        jacobi_case *c = &run->cases[i];
        c->order = run->simulated ? ORDER_SIMULATED : ORDER_GPU;
        if (i < o->order_count) c->order = o->orders[i];
        choose_alphas(o, run->simulated, c);
    }
}

// ---- solvers -----------------------------------------------------------------------------------

static jacobi_solver *add_solver(jacobi_run *run, jacobi_kind kind, bool resident) {
    jacobi_solver *solver = &run->solvers[run->solver_count++];
    *solver = (jacobi_solver){.kind = kind, .resident = resident};
    return solver;
}

static kl_status open_solvers(const jacobi_options *o, jacobi_run *run, kl_error *err) {
    char folder[PATH_BYTES - 64], path[PATH_BYTES];
    TRY(kl_device_program_folder(folder, sizeof folder, err));
    snprintf(add_solver(run, JACOBI_CPU, true)->name, sizeof run->solvers[0].name, "host");
    for (int i = 0; i < o->step_count; i++) {
        for (int resident = 1; resident >= 0; resident--) {
            jacobi_solver *solver = add_solver(run, JACOBI_STEP, resident);
            snprintf(solver->name, sizeof solver->name, "step %d%s", o->steps[i],
                     resident ? "" : ", transfers");
            snprintf(path, sizeof path, "%s/%s", folder, o->solution ? "solution" : "skeleton");
            TRY(kl_step_open(path, o->steps[i], &kl_lab_adapter, &solver->step, err));
        }
    }
    if (run->simulated) return KL_OK;
    kl_step vendor;
    snprintf(path, sizeof path, "%s/vendor.so", folder);
    if (kl_step_open_file(path, "gemv_row_vendor", &vendor, err) != KL_OK) {
        fprintf(stderr, "without the vendor's library: %s\n", err->text);
        return KL_OK;
    }
    jacobi_solver *solver = add_solver(run, JACOBI_VENDOR, true);
    snprintf(solver->name, sizeof solver->name, "cuBLAS");
    solver->step = vendor;
    return KL_OK;
}

// ---- memory ------------------------------------------------------------------------------------

static kl_status check_memory(int64_t order, const kl_device *device, kl_error *err) {
    const uint64_t matrix = (uint64_t)order * (uint64_t)order * sizeof(float);
    uint64_t on_device = matrix + gemv_row_prepared_bytes(order, order);
    uint64_t on_host = matrix + (device->simulated ? on_device : 0);
    uint64_t free_bytes = kl_memory_available();
    if (on_host > free_bytes)
        return kl_fail(err, KL_ERROR_LIMIT,
                       "order %lld needs %.1f GB of host memory and there are %.1f GB; try a "
                       "smaller --size",
                       (long long)order, 1e-9 * (double)on_host, 1e-9 * (double)free_bytes);
    if (!device->simulated && on_device > device->memory_free_bytes)
        return kl_fail(err, KL_ERROR_LIMIT,
                       "order %lld needs %.1f GB of the device's memory, of which %.1f GB are "
                       "free; try a smaller --size",
                       (long long)order, 1e-9 * (double)on_device,
                       1e-9 * (double)device->memory_free_bytes);
    return KL_OK;
}

// ---- running -----------------------------------------------------------------------------------

typedef struct bench {
    const kl_coo *coo; // of the file, or NULL
    jacobi_system system;
    jacobi_device device;
    float *x; // [n]
    int threads;
} bench;

static kl_status solve(bench *b, const jacobi_run *run, const jacobi_solver *solver,
                       jacobi_result *out, kl_error *err) {
    if (solver->kind == JACOBI_CPU)
        return jacobi_solve_cpu(&b->system, &run->goal, b->threads, b->x, out, err);
    kl_status status = jacobi_solve_device(&b->device, &solver->step, &b->system, &run->goal,
                                           solver->resident, b->x, out, err);
    if (status != KL_OK)
        kl_error_append(err, " (%s, order %lld)", solver->name, (long long)b->system.n);
    return status;
}

// The result with the median of the total times. Solutions that take long are not repeated.
static kl_status solve_often(bench *b, const jacobi_run *run, const jacobi_solver *solver,
                             jacobi_result *out, kl_error *err) {
    enum { MOST = 1000, LONG_US = 1000000 };
    double spent = 0.0;
    int done = 0;
    int repeat = run->repeat < MOST ? run->repeat : MOST;
    double totals[MOST];
    while (done < repeat && spent < LONG_US) {
        TRY(solve(b, run, solver, out, err));
        totals[done++] = out->total_us;
        spent += out->total_us;
    }
    out->total_us = kl_median(totals, (size_t)done);
    out->residual = jacobi_residual(&b->system, b->x);
    return KL_OK;
}

static kl_status run_points(bench *b, const jacobi_run *run, jacobi_case *c, kl_error *err) {
    jacobi_result first;
    for (int i = 0; i < c->point_count; i++) {
        jacobi_point *point = &c->points[i];
        if (!b->coo) jacobi_set_alpha(&b->system, point->alpha);
        point->bound = b->system.bound;
        for (int k = 0; k < run->solver_count; k++) {
            if (i == 0 && !run->simulated) // as in the paper, the first one is not counted
                TRY(solve(b, run, &run->solvers[k], &first, err));
            TRY(solve_often(b, run, &run->solvers[k], &point->results[k], err));
        }
    }
    return KL_OK;
}

static kl_status run_case(bench *b, const jacobi_run *run, const kl_device *device, jacobi_case *c,
                          kl_error *err) {
    b->x = malloc((size_t)c->order * sizeof *b->x);
    kl_status status = KL_OK;
    if (!b->x)
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for %lld unknowns", (long long)c->order);
    if (status == KL_OK)
        status = jacobi_make(c->order, run->seed, run->page_locked, &b->system, err);
    if (status == KL_OK && b->coo) status = jacobi_take(&b->system, run->matrix_file, b->coo, err);
    if (status == KL_OK)
        status = jacobi_device_open(device, c->order, run->goal.limit, &b->device, err);
    if (status == KL_OK) status = run_points(b, run, c, err);
    jacobi_device_close(&b->device);
    jacobi_free(&b->system);
    free(b->x);
    return status;
}

static kl_status run_cases(const jacobi_options *o, const kl_device *device, const kl_coo *coo,
                           jacobi_run *run, kl_error *err) {
    choose_cases(o, coo, run);
    for (int i = 0; i < run->case_count; i++) TRY(check_memory(run->cases[i].order, device, err));
    TRY(open_solvers(o, run, err));
    bench b = {.coo = coo, .threads = kl_processors()};
    if (o->threads > 0) b.threads = o->threads;
    for (int i = 0; i < run->case_count; i++) {
        TRY(run_case(&b, run, device, &run->cases[i], err));
        if (run->case_count > 1)
            fprintf(stderr, "order %lld is done\n", (long long)run->cases[i].order);
    }
    return KL_OK;
}

// app.c: fills *out, which is zero before. KL_ERROR_LIMIT when the matrix does not fit.
static kl_status jacobi_run_all(const jacobi_options *o, const kl_device *device, jacobi_run *out,
                                kl_error *err) {
    kl_coo coo;
    snprintf(out->device, sizeof out->device, "%s", device->name);
    out->simulated = device->simulated;
    out->seed = o->seed;
    out->goal = o->goal;
    out->solution = o->solution;
    out->page_locked = !o->pageable;
    out->repeat = o->repeat > 0 ? o->repeat : device->simulated ? 1 : REPEAT_GPU;
    out->matrix_file = o->matrix_file;
    if (!o->matrix_file) return run_cases(o, device, NULL, out, err);
    TRY(jacobi_file_open(o->matrix_file, &coo, err));
    kl_status status = run_cases(o, device, &coo, out, err);
    kl_coo_free(&coo);
    return status;
}

// ---- The program ----

static kl_status write_json(void *run, FILE *out, kl_error *err) {
    return jacobi_write_json(run, out, err);
}

typedef struct plot {
    const jacobi_run *run;
    const jacobi_case *of;
} plot;

static kl_status write_plot(void *context, FILE *out, kl_error *err) {
    const plot *p = context;
    (void)err; // kl_file_replace notices what could not be written
    jacobi_draw(p->run, p->of, out);
    return KL_OK;
}

static kl_status save_plot(const jacobi_run *run, const jacobi_case *of, const char *folder,
                           kl_error *err) {
    char path[4096];
    plot p = {run, of};
    snprintf(path, sizeof path, "%s/jacobi_%lld.svg", folder, (long long)of->order);
    TRY(kl_file_replace(path, write_plot, &p, err));
    fprintf(stderr, "written: %s\n", path);
    return KL_OK;
}

static kl_status show(jacobi_run *run, const jacobi_options *o, kl_error *err) {
    bool json_to_stdout = kl_file_is_stdout(o->json_file);
    jacobi_print(run, json_to_stdout ? stderr : stdout);
    if (o->json_file) TRY(kl_file_put(o->json_file, write_json, run, err));
    for (int c = 0; c < run->case_count && o->plot_folder; c++)
        TRY(save_plot(run, &run->cases[c], o->plot_folder, err));
    return KL_OK;
}

int main(int argc, char **argv) {
    kl_error err = {KL_OK, ""};
    jacobi_options options;
    kl_device device;
    if (jacobi_options_parse(argc, argv, &options, &err) != KL_OK) {
        fprintf(stderr, "gemv_row_app: %s\n", err.text);
        return 2;
    }
    if (options.help) {
        jacobi_options_help(stdout);
        return 0;
    }
    jacobi_run *run = calloc(1, sizeof *run);
    if (!run) return 1;
    kl_status status = kl_device_select(&options.request, argv, &device, &err);
    if (status == KL_OK) status = jacobi_run_all(&options, &device, run, &err);
    if (status == KL_OK) status = show(run, &options, &err);
    if (status != KL_OK) fprintf(stderr, "gemv_row_app: %s\n", err.text);
    bool right = status == KL_OK && jacobi_all_right(run);
    free(run);
    return right ? 0 : 1;
}
