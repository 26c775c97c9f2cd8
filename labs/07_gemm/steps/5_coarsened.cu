// SPDX-License-Identifier: MIT
// Lab 07, step 5: thread coarsening. A thread computes WPT elements of a row of C, TS / WPT columns
// apart, so that an element of A that it has loaded serves WPT products.
//
// What it fixes: shared loads: a thread keeps one factor in a register for several multiply-adds.
// Why it is slow: the loads are 4 bytes each.
#include "gemm_step.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define TS  32         // elements on a side of a tile
#define WPT 8          // elements of C a thread
#define RTS (TS / WPT) // columns of threads: a block has TS x RTS

// a: [k][m], b: [n][k], c: [n][m], column-major. Block (x, y) has the tile of C at row TS x, column
// TS y.
__global__ void __launch_bounds__(TS *RTS)
    coarsened(int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *c) {
    __shared__ float a_tile[TS][TS]; // [p][row]
    __shared__ float b_tile[TS][TS]; // [column][p]
    int row = threadIdx.x;
    int column = threadIdx.y; // of my first element; the others are RTS, 2 RTS, .. further
    int64_t i = (int64_t)blockIdx.x * TS + row;
    int64_t j0 = (int64_t)blockIdx.y * TS;
    float sum[WPT];
#pragma unroll
    for (int w = 0; w < WPT; w++) {
        sum[w] = 0.0f;
    }
    // TODO(student): 1. Load WPT elements of both tiles a thread, RTS columns apart.
    // 2. For each p: load my element of A's tile once, and multiply it with the WPT
    //    elements of B's tile in row p, columns `column` + w RTS.
    // The barriers are those of step 3.
#pragma unroll
    for (int w = 0; w < WPT; w++) {
        int64_t j = j0 + column + w * RTS;
        if (i < m && j < n) {
            c[j * m + i] = sum[w];
        }
    }
}

extern "C" int gemm_step5(const gemm_task *task) {
    int code;
    if (!IMPLEMENTED) return GEMM_NOT_IMPLEMENTED;
    if (!gemm_has_work(task, &code)) return code;
    dim3 blocks = gemm_blocks(task, TS, TS);
    coarsened<<<blocks, dim3(TS, RTS)>>>(task->m, task->n, task->k, task->d_a, task->d_b,
                                         task->d_c);
    return cudaGetLastError();
}
// ladder-skeleton 62313c59f7c3e1f1 (as it was handed out; any change makes this file yours)
