// The application of lab 04 (`ladder run gemv_row --app`): Jacobi's iteration for A x = b on top of
// the lab's products. Source: section 4.2 of the paper (gemv_row.h).
//
//   x[k+1] = D^-1 (b - R x[k]),   A = D + R, D the diagonal of A; x[0] = 0
//
// Its matrix is H = -D^-1 R, so in the maximum norm each iteration makes the error at least
// 1 / bound times smaller, bound = max over rows of sum |r_ij| / |d_i|. It stops when
// max |x[k+1] - x[k]| <= tolerance * max |x[k+1]|.
#pragma once

#include <float.h>

#include "device.h"
#include "sparse.h"
#include "ladder.h"
#include "table.h"

enum {
    JACOBI_MOST_ORDER = 46340, // n * n <= 2^31, the limit of the contract
    JACOBI_MOST_ITERATIONS = 100000,
    JACOBI_LIMIT = 10000, // iterations unless asked otherwise
};

// ---- app_system.c: the equations ---------------------------------------------------------------

typedef struct jacobi_system {
    int64_t n;
    float *r;        // [n][n] row-major: the elements off the diagonal, which is zero
    double *row_sum; // [n], of |r|
    float *d, *b;    // [n]
    double bound;
    bool page_locked; // r
} jacobi_system;

// Elements off the diagonal uniform in [0, 1), b in [-0.5, 0.5). The diagonal is set by
// jacobi_set_alpha.
kl_status jacobi_make(int64_t n, uint64_t seed, bool page_locked, jacobi_system *out,
                      kl_error *err);

// The diagonal becomes alpha times the row's sum: bound = 1 / alpha, but for rounding.
void jacobi_set_alpha(jacobi_system *system, double alpha);

// max |b - A x|_i / |d_i| over max |x|, in double precision: what one more iteration without
// rounding would change. NaN when x holds a NaN or an infinity.
double jacobi_residual(const jacobi_system *system, const float *x);

void jacobi_free(jacobi_system *system);

// app_system.c: a Matrix Market file. KL_ERROR_INPUT, with the place, when it is not square or has
// a number that is no finite float. Free with kl_coo_free.
kl_status jacobi_file_open(const char *path, kl_coo *out_coo, kl_error *err);
// Its elements in place of the system's. KL_ERROR_INPUT when one on the diagonal is zero.
kl_status jacobi_take(jacobi_system *system, const char *path, const kl_coo *coo, kl_error *err);

// ---- solvers -----------------------------------------------------------------------------------

// Of one iteration.
typedef struct jacobi_change {
    float change; // max |x[k+1] - x[k]|
    float size;   // max |x[k+1]|
} jacobi_change;

static inline bool jacobi_is_done(jacobi_change c, float tolerance) {
    // Never with a NaN, nor when both have grown to infinity.
    return c.change <= FLT_MAX && c.change <= tolerance * c.size;
}

typedef struct jacobi_goal {
    float tolerance;
    int limit; // iterations
} jacobi_goal;

// Copies between host and device, in one direction.
typedef struct jacobi_traffic {
    int64_t bytes, calls;
} jacobi_traffic;

typedef struct jacobi_result {
    int iterations; // until the tolerance was met, or the limit
    bool converged;
    double contraction; // measured: geometric mean of the changes' ratios, NaN with fewer than 4
    double residual;    // jacobi_residual
    double prepare_us;  // what the step does once for the matrix
    double matrix_us;   // the matrix to the device
    double total_us;    // all of it: transfers, preparation, iterations, the solution back
    jacobi_traffic to_device, to_host;
    int threads; // of the host, that iterated
} jacobi_result;

// history: [iterations].
double jacobi_contraction(const jacobi_change *history, int iterations);

// app_cpu.c: `threads` threads of the host, each with a part of the rows. x: [n].
kl_status jacobi_solve_cpu(const jacobi_system *system, const jacobi_goal *goal, int threads,
                           float *x, jacobi_result *out, kl_error *err);

// app_device.c: what stays on the device from one solution to the next: memory, no data.
typedef struct jacobi_device {
    const kl_device *device;
    int64_t n;
    int limit;
    float *d_r, *d_x, *d_y, *d_b, *d_d;
    void *d_workspace, *d_prepared;
    jacobi_change *d_history, *h_history; // [limit]
    float *h_x, *h_y;                     // [n], page-locked
} jacobi_device;

kl_status jacobi_device_open(const kl_device *device, int64_t n, int limit, jacobi_device *out,
                             kl_error *err);
void jacobi_device_close(jacobi_device *device);

// resident: the vectors stay on the device, and only the changes come back; otherwise x goes there
// and y comes back in each iteration, as in the paper. x: [n], host.
kl_status jacobi_solve_device(jacobi_device *device, const kl_step *step,
                              const jacobi_system *system, const jacobi_goal *goal, bool resident,
                              float *x, jacobi_result *out, kl_error *err);

// app_update.cu: iteration k (from 0): x = (b - y) / d, and history[k]. When iteration k - 1 has
// met the tolerance, x stays and history[k] is history[k - 1]. history: [k + 1], zeros from k on.
// Returns a cudaError_t.
int jacobi_update(const float *d_y, const float *d_b, const float *d_d, float *d_x, int64_t n,
                  float tolerance, int k, jacobi_change *d_history);

// ---- a run -------------------------------------------------------------------------------------

enum {
    JACOBI_MOST_SOLVERS = 8,
    JACOBI_MOST_STEPS = 3,  // each twice, beside the host and the vendor's library
    JACOBI_MOST_ALPHAS = 8, // times solvers: rows of a table
    JACOBI_MOST_ORDERS = 8,
    JACOBI_LAST_STEP = 7,
};

typedef struct jacobi_options {
    bool help, solution, quick, pageable;
    int64_t orders[JACOBI_MOST_ORDERS];
    int order_count; // 0: the device's
    double alphas[JACOBI_MOST_ALPHAS];
    int alpha_count;
    int steps[JACOBI_MOST_STEPS];
    int step_count;
    int threads; // of the host; 0: all
    int repeat;
    uint64_t seed;
    jacobi_goal goal;
    kl_device_request request;
    const char *json_file, *plot_folder, *matrix_file; // or NULL
} jacobi_options;

// app_options.c. KL_ERROR_USAGE with a sentence on what is wrong.
kl_status jacobi_options_parse(int argc, char **argv, jacobi_options *out, kl_error *err);
void jacobi_options_help(FILE *out);

typedef enum jacobi_kind { JACOBI_CPU, JACOBI_STEP, JACOBI_VENDOR } jacobi_kind;

typedef struct jacobi_solver {
    jacobi_kind kind;
    bool resident;
    char name[48];
    kl_step step;
} jacobi_solver;

typedef struct jacobi_point {
    double alpha; // NaN: the matrix is a file's
    double bound;
    jacobi_result results[JACOBI_MOST_SOLVERS];
} jacobi_point;

// All of one order.
typedef struct jacobi_case {
    int64_t order;
    int point_count;
    jacobi_point points[JACOBI_MOST_ALPHAS];
} jacobi_case;

typedef struct jacobi_run {
    char device[256];
    bool simulated, solution, page_locked;
    const char *matrix_file; // or NULL
    uint64_t seed;
    jacobi_goal goal;
    int repeat;
    int solver_count;
    jacobi_solver solvers[JACOBI_MOST_SOLVERS]; // the host first
    int case_count;
    jacobi_case cases[JACOBI_MOST_ORDERS];
} jacobi_run;

// app_chart.c: what follows from a run.

// True when every solution was found and its residual is within the tolerance.
bool jacobi_all_right(const jacobi_run *run);

// Time of the host's solution over that of this one; NaN where they needed different numbers of
// iterations, and when one is modelled.
double jacobi_speedup(const jacobi_run *run, const jacobi_point *point, int solver);

// When the matrix's way to the device stops mattering: after k iterations it has taken
// matrix_us / (matrix_us + k * iteration_us) of the time. NaN where it cannot be said.
typedef struct jacobi_answer {
    double matrix_us;         // median over the points
    double iteration_us;      // slope of the total times over the iterations, least squares
    double host_iteration_us; // the same of the host
    double half, tenth;       // iterations from which the share is at most this
    double even;              // iterations from which the device is faster than the host
} jacobi_answer;
jacobi_answer jacobi_answer_of(const jacobi_run *run, const jacobi_case *of, int solver);
// The share after k iterations.
double jacobi_share(const jacobi_answer *answer, double k);

// The solver whose answer is shown: the last step with its vectors on the device.
int jacobi_main_solver(const jacobi_run *run);

// app_report.c: the tables, as text, and the JSON (schema ladder.jacobi/1).
void jacobi_print(const jacobi_run *run, FILE *out);
kl_status jacobi_write_json(const jacobi_run *run, FILE *out, kl_error *err);

// app_chart.c: time and speedup against the number of iterations, the paper's figure 4, for one
// order. As SVG, and in characters (the time only).
void jacobi_draw(const jacobi_run *run, const jacobi_case *of, FILE *out);
void jacobi_draw_text(const jacobi_run *run, const jacobi_case *of, const kl_style *style,
                      FILE *out);
