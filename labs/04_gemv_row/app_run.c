// SPDX-License-Identifier: MIT
// All solutions of a run of lab 04's application: see app.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "gemv_row.h"
#include "memory_need.h"
#include "stats.h"

extern const kl_adapter kl_lab_adapter;

enum { PATH_BYTES = 4096, ORDER_GPU = 8192, ORDER_SIMULATED = 128, REPEAT_GPU = 3 };

static const double paper_alphas[] = {1.4, 1.2, 1.1};
static const double slow_alphas[] = {1.05, 1.02, 1.01}; // more iterations: only on a GPU

static void add_alphas(jacobi_run *run, const double *alphas, int count) {
    for (int i = 0; i < count && run->point_count < JACOBI_MOST_ALPHAS; i++)
        run->points[run->point_count++].alpha = alphas[i];
}

static void choose_alphas(const jacobi_options *o, jacobi_run *run) {
    if (o->alpha_count > 0) {
        add_alphas(run, o->alphas, o->alpha_count);
    } else {
        add_alphas(run, paper_alphas, 3);
        if (!run->simulated) add_alphas(run, slow_alphas, 3);
    }
    if (!o->quick || run->point_count < 3) return;
    run->points[1] = run->points[run->point_count - 1];
    run->point_count = 2;
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

static kl_status check_memory(const jacobi_run *run, const kl_device *device, kl_error *err) {
    const uint64_t matrix = (uint64_t)run->order * (uint64_t)run->order * sizeof(float);
    uint64_t on_device = matrix + gemv_row_prepared_bytes(run->order, run->order);
    uint64_t on_host = matrix + (device->simulated ? on_device : 0);
    uint64_t free_bytes = kl_memory_available();
    if (on_host > free_bytes)
        return kl_fail(err, KL_ERROR_LIMIT,
                       "order %lld needs %.1f GB of host memory and there are %.1f GB; try a "
                       "smaller --size",
                       (long long)run->order, 1e-9 * (double)on_host, 1e-9 * (double)free_bytes);
    if (!device->simulated && on_device > device->memory_free_bytes)
        return kl_fail(err, KL_ERROR_LIMIT,
                       "order %lld needs %.1f GB of the device's memory, of which %.1f GB are "
                       "free; try a smaller --size",
                       (long long)run->order, 1e-9 * (double)on_device,
                       1e-9 * (double)device->memory_free_bytes);
    return KL_OK;
}

// ---- running -----------------------------------------------------------------------------------

typedef struct bench {
    jacobi_system system;
    jacobi_device device;
    float *x; // [n]
    int threads, repeat;
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

// The result with the median of the total times.
static kl_status solve_often(bench *b, const jacobi_run *run, const jacobi_solver *solver,
                             jacobi_result *out, kl_error *err) {
    enum { MOST = 1000 };
    int repeat = b->repeat < MOST ? b->repeat : MOST;
    double totals[MOST];
    for (int i = 0; i < repeat; i++) {
        TRY(solve(b, run, solver, out, err));
        totals[i] = out->total_us;
    }
    out->total_us = kl_median(totals, (size_t)repeat);
    out->residual = jacobi_residual(&b->system, b->x);
    return KL_OK;
}

static kl_status run_points(bench *b, jacobi_run *run, kl_error *err) {
    jacobi_result first;
    for (int i = 0; i < run->point_count; i++) {
        jacobi_point *point = &run->points[i];
        jacobi_set_alpha(&b->system, point->alpha);
        point->bound = b->system.bound;
        for (int k = 0; k < run->solver_count; k++) {
            if (i == 0 && !run->simulated) // as in the paper, the first one is not counted
                TRY(solve(b, run, &run->solvers[k], &first, err));
            TRY(solve_often(b, run, &run->solvers[k], &point->results[k], err));
        }
    }
    return KL_OK;
}

kl_status jacobi_run_all(const jacobi_options *o, const kl_device *device, jacobi_run *out,
                         kl_error *err) {
    jacobi_run *run = out;
    *run = (jacobi_run){.device = device->name, .simulated = device->simulated, .seed = o->seed};
    run->solution = o->solution;
    run->goal = o->goal;
    run->page_locked = !o->pageable;
    run->order = o->order > 0 ? o->order : device->simulated ? ORDER_SIMULATED : ORDER_GPU;
    choose_alphas(o, run);
    TRY(check_memory(run, device, err));
    TRY(open_solvers(o, run, err));
    bench *b = calloc(1, sizeof *b);
    float *x = malloc((size_t)run->order * sizeof *x);
    kl_status status = KL_OK;
    if (b == NULL || x == NULL) {
        status =
            kl_fail(err, KL_ERROR_MEMORY, "no memory for %lld unknowns", (long long)run->order);
    } else {
        b->x = x;
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        b->threads = o->threads > 0 ? o->threads : processors > 0 ? (int)processors : 1;
        b->repeat = o->repeat > 0 ? o->repeat : device->simulated ? 1 : REPEAT_GPU;
        status = jacobi_make(run->order, run->seed, run->page_locked, &b->system, err);
        if (status == KL_OK)
            status = jacobi_device_open(device, run->order, run->goal.limit, &b->device, err);
        if (status == KL_OK) status = run_points(b, run, err);
        jacobi_device_close(&b->device);
        jacobi_free(&b->system);
    }
    free(b);
    free(x);
    return status;
}

// ---- what follows ------------------------------------------------------------------------------

bool jacobi_all_right(const jacobi_run *run) {
    for (int i = 0; i < run->point_count; i++)
        for (int k = 0; k < run->solver_count; k++) {
            const jacobi_result *r = &run->points[i].results[k];
            if (!r->converged || !(r->residual <= (double)run->goal.tolerance)) return false;
        }
    return true;
}

double jacobi_speedup(const jacobi_run *run, const jacobi_point *point, int solver) {
    const jacobi_result *host = &point->results[0], *r = &point->results[solver];
    if (run->simulated || host->iterations != r->iterations) return NAN;
    return host->total_us / r->total_us;
}
