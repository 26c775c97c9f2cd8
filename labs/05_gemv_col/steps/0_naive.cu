// SPDX-License-Identifier: MIT
// Lab 05, step 0 (given): y = A x, one thread per row. "Naive Multiplication" of the source.
//
// Neighbouring threads read neighbouring elements of a column, so the loads are coalesced. But only
// m threads work, and each has one load in flight at a time.
#include "gemv_col.h"

#include <cuda_runtime.h>

#define THREADS 256

// a: [n][m]; x: [n]; y: [m].
__global__ void __launch_bounds__(THREADS)
    naive(int64_t m, int64_t n, const float *a, const float *x, float *y) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= m) return;
    float sum = 0.0f;
    for (int64_t j = 0; j < n; j++) {
        sum += a[i + j * m] * x[j];
    }
    y[i] = sum;
}

extern "C" int gemv_col_step0(const gemv_col_task *task) {
    if (!gemv_col_is_valid(task) || task->op != GEMV_COL_AX) return cudaErrorInvalidValue;
    unsigned blocks = (unsigned)((task->m + THREADS - 1) / THREADS);
    naive<<<blocks, THREADS>>>(task->m, task->n, task->d_a, task->d_x, task->d_y);
    return cudaGetLastError();
}
// ladder-skeleton e16c2104c2bbc9df (as it was handed out; any change makes this file yours)
