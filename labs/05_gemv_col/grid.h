// SPDX-License-Identifier: MIT
// Kernels of the grid program (grid.c): inputs made on the device, and the answer in double
// precision to compare with. Not for speed.
#ifndef GEMV_COL_GRID_H
#define GEMV_COL_GRID_H

#include "gemv_col.h"

#ifdef __cplusplus
extern "C" {
#endif

// d_values: [count] float, uniform in [0, 1), a function of (seed, index).
int grid_fill(float *d_values, int64_t count, uint64_t seed);

// d_answer: [2 * outputs] double: the values of y, then the bounds of reference.c.
int grid_solve(const gemv_col_task *task, double *d_answer);

// *d_wrong is raised by the number of elements of task->d_y that are not within their bounds.
int grid_compare(const gemv_col_task *task, const double *d_answer, unsigned *d_wrong);

#ifdef __cplusplus
}
#endif
#endif
