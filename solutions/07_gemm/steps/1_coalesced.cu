// SPDX-License-Identifier: MIT
// Lab 07, step 1: still one thread per element, but lane x has row x of the block's part of C.
//
// What it fixes: the lanes read 32 neighbours of a column of A and write 32 neighbours of a column
// of C; all of them read the same element of B.
// Why it is slow: every multiply-add loads both factors from the cache: two loads for one
// operation.
#include "gemm_step.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define ROWS    32 // of C, per block
#define COLUMNS 8

// a: [k][m], b: [n][k], c: [n][m], column-major.
__global__ void __launch_bounds__(ROWS *COLUMNS)
    coalesced(int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *c) {
    // SOLUTION BEGIN
    int64_t i = (int64_t)blockIdx.x * ROWS + threadIdx.x;
    int64_t j = (int64_t)blockIdx.y * COLUMNS + threadIdx.y;
    if (i >= m || j >= n) return;
    float sum = 0.0f;
    for (int64_t p = 0; p < k; p++) {
        sum += a[p * m + i] * b[j * k + p];
    }
    c[j * m + i] = sum;
    // SOLUTION TODO: Let neighbouring threads have neighbouring elements in memory. Which of row
    // SOLUTION TODO: and column must threadIdx.x count? The grid has blocks of rows in x, of
    // SOLUTION TODO: columns in y.
}

extern "C" int gemm_step1(const gemm_task *task) {
    int code;
    if (!IMPLEMENTED) return GEMM_NOT_IMPLEMENTED;
    if (!gemm_has_work(task, &code)) return code;
    dim3 blocks = gemm_blocks(task, ROWS, COLUMNS);
    coalesced<<<blocks, dim3(ROWS, COLUMNS)>>>(task->m, task->n, task->k, task->d_a, task->d_b,
                                               task->d_c);
    return cudaGetLastError();
}
