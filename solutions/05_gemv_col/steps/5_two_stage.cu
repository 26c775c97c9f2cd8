// SPDX-License-Identifier: MIT
// Lab 05, step 5: y = A x without atomic operations, in two stages: each block of step 1 stores its
// sums as a column of partial sums, and a second kernel adds those up, always in the same order.
//
// What it fixes: results that differ from call to call, and the zeroing of y.
#include "gemv_col.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define BLOCK_HEIGHT 256 // rows, and threads, of a block
#define BLOCK_WIDTH  64  // columns of a block
#define ROWS         32  // rows of a block of the second stage
#define LISTS        8   // its threads per row: each adds every LISTS-th partial sum

// partial: [gridDim.x][m]: one column for each section of x. a: [n][m]; x: [n].
__global__ void __launch_bounds__(BLOCK_HEIGHT)
    first_stage(int64_t m, int64_t n, const float *a, const float *x, float *partial) {
    __shared__ float section[BLOCK_WIDTH];
    int64_t first = (int64_t)blockIdx.x * BLOCK_WIDTH;
    int columns = n - first < BLOCK_WIDTH ? (int)(n - first) : BLOCK_WIDTH;
    // SOLUTION BEGIN
    if (threadIdx.x < columns) {
        section[threadIdx.x] = x[first + threadIdx.x];
    }
    __syncthreads();
    // As many rows of blocks as a grid may have; each takes further rows of A.
    int64_t stride = (int64_t)gridDim.y * BLOCK_HEIGHT;
    for (int64_t i = (int64_t)blockIdx.y * BLOCK_HEIGHT + threadIdx.x; i < m; i += stride) {
        float sum = 0.0f;
        for (int k = 0; k < columns; k++) {
            sum += a[i + (first + k) * m] * section[k];
        }
        partial[i + blockIdx.x * m] = sum;
    }
    // SOLUTION TODO: as in step 1, but the sum goes to partial[i + blockIdx.x * m]: no other
    // SOLUTION TODO: thread writes there. A grid has at most 65535 rows of blocks: let i go on
    // SOLUTION TODO: by gridDim.y * BLOCK_HEIGHT.
}

// y[i] = the sum of row i of partial: [count][m].
__global__ void __launch_bounds__(ROWS *LISTS)
    second_stage(int64_t m, int64_t count, const float *partial, float *y) {
    __shared__ float sums[LISTS][ROWS];
    int64_t i = (int64_t)blockIdx.x * ROWS + threadIdx.x;
    // SOLUTION BEGIN
    float sum = 0.0f;
    if (i < m) {
        for (int64_t k = threadIdx.y; k < count; k += LISTS) {
            sum += partial[i + k * m];
        }
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && i < m) {
        sum = sums[0][threadIdx.x];
        for (int list = 1; list < LISTS; list++) {
            sum += sums[list][threadIdx.x];
        }
        y[i] = sum;
    }
    // SOLUTION TODO: thread (x, y) of the block adds the partial sums y, y + LISTS, .. of row i;
    // SOLUTION TODO: then the LISTS sums of a row are added through shared memory, in an order
    // SOLUTION TODO: that is always the same.
}

extern "C" int gemv_col_step5(const gemv_col_task *task) {
    if (!IMPLEMENTED) return GEMV_COL_NOT_IMPLEMENTED;
    if (!gemv_col_is_valid(task) || task->op != GEMV_COL_AX) return cudaErrorInvalidValue;
    int64_t m = task->m, n = task->n;
    int64_t sections = (n + BLOCK_WIDTH - 1) / BLOCK_WIDTH;
    int64_t rows = (m + BLOCK_HEIGHT - 1) / BLOCK_HEIGHT;
    float *d_partial = (float *)((char *)task->d_workspace + GEMV_COL_COUNTER_BYTES);
    dim3 grid((unsigned)sections, (unsigned)(rows < 65535 ? rows : 65535));
    first_stage<<<grid, BLOCK_HEIGHT>>>(m, n, task->d_a, task->d_x, d_partial);
    second_stage<<<(unsigned)((m + ROWS - 1) / ROWS), dim3(ROWS, LISTS)>>>(m, sections, d_partial,
                                                                           task->d_y);
    return cudaGetLastError();
}
