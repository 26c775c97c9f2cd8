// SPDX-License-Identifier: MIT
// Lab 04, step 2: one warp per row. Its 32 lanes read 32 neighbouring elements, and shuffles add up
// their sums.
//
// What it fixes: neighbouring lanes read neighbouring elements of A, so all bytes of a sector are
// used.
// Why it is slow: for each load of A there is one of x, from the L1 cache; and a lane has 4 bytes
// of A in flight per load.
#include "gemv_row.h"

#include <cuda_runtime.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define THREADS   256
#define WARP      32
#define ROWS      (THREADS / WARP) // per block
#define ALL_LANES 0xffffffffu

// a: [m][n] row-major; x: [n]; y: [m]. All lanes of a warp have the same row.
__global__ void __launch_bounds__(THREADS)
    warp_per_row(const float *a, const float *x, float *y, int64_t m, int64_t n) {
    int64_t row = (int64_t)blockIdx.x * ROWS + threadIdx.x / WARP;
    int lane = threadIdx.x % WARP;
    if (row >= m) {
        return; // the whole warp leaves
    }
    // TODO(student): lane l takes columns l, l + 32, l + 64, .. of the row. Then lane 0 needs the
    // sum of the 32 lanes' sums: __shfl_down_sync at distances 16, 8, 4, 2, 1.
}

extern "C" int gemv_row_step2(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                              void *d_workspace, size_t workspace_bytes) {
    (void)d_workspace;
    if (!IMPLEMENTED) return GEMV_ROW_NOT_IMPLEMENTED;
    if (!gemv_row_valid(matrix->m, matrix->n, workspace_bytes)) return cudaErrorInvalidValue;
    unsigned blocks = (unsigned)((matrix->m + ROWS - 1) / ROWS);
    warp_per_row<<<blocks, THREADS>>>(matrix->a, d_x, d_y, matrix->m, matrix->n);
    return cudaGetLastError();
}
// ladder-skeleton 58396559e87ac884 (as it was handed out; any change makes this file yours)
