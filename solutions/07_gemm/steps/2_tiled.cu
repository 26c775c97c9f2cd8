// SPDX-License-Identifier: MIT
// Lab 07, step 2: a block multiplies tile by tile. It loads a tile of A and one of B into shared
// memory, each thread one element of both, and every element is then used TS times from there.
//
// What it fixes: loads from memory, by a factor of TS.
// Why it is slow: an iteration of the inner loop is two shared loads, one multiply-add, and the
// loop's own counter, comparison and branch.
#include "gemm_step.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define TS 32 // elements on a side of a tile; a block has TS x TS threads

// a: [k][m], b: [n][k], c: [n][m], column-major. Block (x, y) has the tile of C at row TS x, column
// TS y.
__global__ void __launch_bounds__(TS *TS)
    tiled(int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *c) {
    __shared__ float a_tile[TS][TS]; // [p][row]
    __shared__ float b_tile[TS][TS]; // [column][p]
    int row = threadIdx.x;
    int column = threadIdx.y;
    int64_t i = (int64_t)blockIdx.x * TS + row;
    int64_t j = (int64_t)blockIdx.y * TS + column;
    float sum = 0.0f;
    // SOLUTION BEGIN
    for (int64_t p0 = 0; p0 < k; p0 += TS) {
        // Thread (row, column) fetches A's element (i, p0 + column) and B's (p0 + row, j). What
        // lies outside is 0 and adds nothing.
        a_tile[column][row] = i < m && p0 + column < k ? a[(p0 + column) * m + i] : 0.0f;
        b_tile[column][row] = j < n && p0 + row < k ? b[j * k + p0 + row] : 0.0f;
        __syncthreads(); // the tiles are complete
#pragma unroll 1         // the compiler would unroll by itself; step 3 shows what that is worth
        for (int p = 0; p < TS; p++) {
            sum += a_tile[p][row] * b_tile[column][p];
        }
        __syncthreads(); // no thread overwrites what others still read
    }
    // SOLUTION TODO: For each tile of depth TS from p0 = 0 on:
    // SOLUTION TODO: 1. Load one element of A into a_tile[column][row] and one of B into
    // SOLUTION TODO:    b_tile[column][row]: neighbouring threads neighbours in memory; 0 outside.
    // SOLUTION TODO: 2. What must all threads have done before anyone multiplies?
    // SOLUTION TODO: 3. Add the TS products of row `row` of A's tile and column `column` of B's.
    // SOLUTION TODO:    Keep that loop rolled (#pragma unroll 1): step 3 shows what that costs.
    // SOLUTION TODO: 4. And before the next tile is loaded?
    if (i < m && j < n) {
        c[j * m + i] = sum;
    }
}

extern "C" int gemm_step2(const gemm_task *task) {
    int code;
    if (!IMPLEMENTED) return GEMM_NOT_IMPLEMENTED;
    if (!gemm_has_work(task, &code)) return code;
    dim3 blocks = gemm_blocks(task, TS, TS);
    tiled<<<blocks, dim3(TS, TS)>>>(task->m, task->n, task->k, task->d_a, task->d_b, task->d_c);
    return cudaGetLastError();
}
