// SPDX-License-Identifier: MIT
// Lab 04, step 3: the paper's block of 16 x 16 threads (listing 2): 16 rows share x, which is
// staged in shared memory, 256 elements at a time; thread (ty, tx) adds up columns tx, tx + 16, ..
// of row ty, and the 16 partial sums of each row are added at the end.
//
// What it fixes: x is loaded from global memory once per 16 rows, not once per row.
// Why it is slow: a load instruction still moves 4 bytes per thread, and two barriers per 256
// columns keep the warps of a block together.
#include "gemv_row.h"

#include <cuda_runtime.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define TILE    16
#define COLUMNS (TILE * TILE) // of x that are staged at a time: one per thread

// The block's partial sums, one per thread, to y[first .. first+15] below m. All threads must call.
//   first iteration: partial[r][0..7] += partial[r][8..15], then 4, 2, 1; the sum is partial[r][0]
__device__ __forceinline__ void reduce_rows(float sum, float *y, int64_t first, int64_t m) {
    __shared__ float partial[TILE][TILE + 1]; // the spare column keeps 16 rows in different banks
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    partial[ty][tx] = sum;
    // TODO(student): fold columns 8..15 of partial onto 0..7, then 4..7 onto 0..3, and so on, with
    // a barrier first in each iteration. Then write the sums of the rows that exist.
    // The paper does without barriers here and writes Ps[ty][0] with ty = 0: why are
    // both wrong?
}

// a: [m][n] row-major; x: [n]; y: [m]. Block b has rows 16 b .. 16 b + 15.
__global__ void __launch_bounds__(COLUMNS)
    block16(const float *a, const float *x, float *y, int64_t m, int64_t n) {
    __shared__ float xs[COLUMNS];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int64_t first = (int64_t)blockIdx.x * TILE;
    int64_t row = first + ty;
    float sum = 0.0f;

    // TODO(student): for each 256 columns: every thread stages one element of x, then adds up its
    // 16 products. n need not be a multiple of 256, nor m of 16. Every thread of the
    // block must come to each barrier. How many are needed per 256 columns, and why?

    reduce_rows(sum, y, first, m);
}

extern "C" int gemv_row_step3(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                              void *d_workspace, size_t workspace_bytes) {
    (void)d_workspace;
    if (!IMPLEMENTED) return GEMV_ROW_NOT_IMPLEMENTED;
    if (!gemv_row_valid(matrix->m, matrix->n, workspace_bytes)) return cudaErrorInvalidValue;
    unsigned blocks = (unsigned)((matrix->m + TILE - 1) / TILE);
    block16<<<blocks, dim3(TILE, TILE)>>>(matrix->a, d_x, d_y, matrix->m, matrix->n);
    return cudaGetLastError();
}
// ladder-skeleton 79f91181a6bc4880 (as it was handed out; any change makes this file yours)
