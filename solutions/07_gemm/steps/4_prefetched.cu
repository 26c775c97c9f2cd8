// SPDX-License-Identifier: MIT
// Lab 07, step 4: double buffering. The loads of the next tile are issued before this tile is
// multiplied; their values wait in registers and go into the other half of the shared memory
// afterwards.
//
// What it fixes: waiting for memory at the barrier; and with two halves one barrier per tile is
// enough. Why it is slow: two shared loads for one multiply-add. A SM does 128 multiply-adds per
// cycle, but its shared memory serves one warp's load per cycle, 32 lanes.
#include "gemm_step.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define TS 32 // elements on a side of a tile; a block has TS x TS threads

// a: [k][m], b: [n][k], c: [n][m], column-major. Block (x, y) has the tile of C at row TS x, column
// TS y.
__global__ void __launch_bounds__(TS *TS)
    prefetched(int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *c) {
    __shared__ float a_tile[2][TS][TS]; // [half][p][row]
    __shared__ float b_tile[2][TS][TS]; // [half][column][p]
    int row = threadIdx.x;
    int column = threadIdx.y;
    int64_t i = (int64_t)blockIdx.x * TS + row;
    int64_t j = (int64_t)blockIdx.y * TS + column;
    float sum = 0.0f;
    // SOLUTION BEGIN
    float a_next = i < m && column < k ? a[column * m + i] : 0.0f;
    float b_next = j < n && row < k ? b[j * k + row] : 0.0f;
    int half = 0;
    for (int64_t p0 = 0; p0 < k; p0 += TS) {
        a_tile[half][column][row] = a_next;
        b_tile[half][column][row] = b_next;
        __syncthreads(); // also: no thread reads the other half any more
        int64_t p1 = p0 + TS;
        a_next = i < m && p1 + column < k ? a[(p1 + column) * m + i] : 0.0f;
        b_next = j < n && p1 + row < k ? b[j * k + p1 + row] : 0.0f;
#pragma unroll
        for (int p = 0; p < TS; p++) {
            sum += a_tile[half][p][row] * b_tile[half][column][p];
        }
        half ^= 1;
    }
    // SOLUTION TODO: 1. Load the first tile's two elements into registers.
    // SOLUTION TODO: 2. For each tile: put the registers into one half of the shared memory;
    // SOLUTION TODO:    barrier; load the next tile's elements into registers; multiply; change the
    // SOLUTION TODO:    half.
    // SOLUTION TODO: Why is one barrier per tile enough? Who may still read which half?
    if (i < m && j < n) {
        c[j * m + i] = sum;
    }
}

extern "C" int gemm_step4(const gemm_task *task) {
    int code;
    if (!IMPLEMENTED) return GEMM_NOT_IMPLEMENTED;
    if (!gemm_has_work(task, &code)) return code;
    dim3 blocks = gemm_blocks(task, TS, TS);
    prefetched<<<blocks, dim3(TS, TS)>>>(task->m, task->n, task->k, task->d_a, task->d_b,
                                         task->d_c);
    return cudaGetLastError();
}
