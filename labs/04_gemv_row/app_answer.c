// What follows from a run of lab 04's application: see app.h. Pure functions of the run.
#include "app.h"
#include "stats.h"

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
