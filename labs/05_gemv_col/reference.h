// The reference of lab 05: see reference.c. Host only.
#pragma once

#include "gemv_col.h"
#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- reference.c --------------------------------------------------------------------------------

typedef struct gemv_col_check {
    gemv_col_op op;
    int64_t m, n;
    const float *a, *x; // host; a: [n][m]
    bool exact;         // no order of additions rounds: the bound is 0
} gemv_col_check;

int64_t gemv_col_outputs(const gemv_col_check *c); // elements of y

// answer: [2 * outputs]: the values, then their bounds.
void gemv_col_solve(const gemv_col_check *c, double *answer);

// y: [outputs]. Where the value is NaN, y must be NaN, too.
void gemv_col_compare(const gemv_col_check *c, const double *answer, const float *y,
                      kl_verdict *out_verdict);

extern const kl_problem gemv_col_problem;

// ---- grid.c -------------------------------------------------------------------------------------
// Kernels of the grid program (grid.c): inputs made on the device, and the answer in double
// precision to compare with. Not for speed.

// d_values: [count] float, uniform in [0, 1), a function of (seed, index).
int grid_fill(float *d_values, int64_t count, uint64_t seed);

// d_answer: [2 * outputs] double: the values of y, then the bounds of reference.c.
int grid_solve(const gemv_col_task *task, double *d_answer);

// *d_wrong is raised by the number of elements of task->d_y that are not within their bounds.
int grid_compare(const gemv_col_task *task, const double *d_answer, unsigned *d_wrong);

#ifdef __cplusplus
}
#endif
