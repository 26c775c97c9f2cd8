// SPDX-License-Identifier: MIT
// Lab 04, step 1: one thread per row, the loop over rows of listing 1 made parallel.
//
// Why it is slow: the 32 lanes of a warp read 32 rows at the same column, addresses that lie n
// floats apart. A load uses 4 of the 32 bytes of each sector.
#include "gemv_row.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256

// a: [m][n] row-major; x: [n]; y: [m].
__global__ void __launch_bounds__(THREADS)
    thread_per_row(const float *a, const float *x, float *y, int64_t m, int64_t n) {
    // SOLUTION BEGIN
    int64_t row = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (row < m) {
        float sum = 0.0f;
        for (int64_t j = 0; j < n; j++) {
            sum += a[row * n + j] * x[j];
        }
        y[row] = sum;
    }
    // SOLUTION TODO: each thread computes one element of y. The last block has threads beyond row
    // SOLUTION TODO: m - 1.
}

extern "C" int gemv_row_step1(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                              void *d_workspace, size_t workspace_bytes) {
    (void)d_workspace;
    if (!IMPLEMENTED) return GEMV_ROW_NOT_IMPLEMENTED;
    if (!gemv_row_valid(matrix->m, matrix->n, workspace_bytes)) return cudaErrorInvalidValue;
    unsigned blocks = (unsigned)((matrix->m + THREADS - 1) / THREADS);
    thread_per_row<<<blocks, THREADS>>>(matrix->a, d_x, d_y, matrix->m, matrix->n);
    return cudaGetLastError();
}
