// SPDX-License-Identifier: MIT
// Lab 05, step 1: "Block & Multiply" of the source, algorithm 1. A block takes BLOCK_HEIGHT rows of
// BLOCK_WIDTH columns, keeps its section of x in shared memory, and adds its sums to y by atomic
// operations.
//
// What it fixes: too few threads. What it costs: y must be zeroed first, and the order of the
// additions is left to chance.
#include "gemv_col.h"

#include <cuda_runtime.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define BLOCK_HEIGHT 1024 // rows, and threads, of a block
#define BLOCK_WIDTH  64   // columns of a block; the source found this one to be the fastest

// One block: rows blockIdx.y * BLOCK_HEIGHT .., columns blockIdx.x * width .. A template, so that
// the width is a constant at compile time. a: [n][m]; x: [n]; y: [m], zero before.
template <int width>
__global__ void __launch_bounds__(BLOCK_HEIGHT)
    block_multiply(int64_t m, int64_t n, const float *a, const float *x, float *y) {
    __shared__ float section[width];
    int64_t first = (int64_t)blockIdx.x * width;
    int64_t i = (int64_t)blockIdx.y * BLOCK_HEIGHT + threadIdx.x;
    int columns = n - first < width ? (int)(n - first) : width; // fewer in the last block

    // TODO(student): the first `columns` threads copy x[first ..] into the section. What must
    // happen before any thread reads it? Then each thread that has a row
    // multiplies its `columns` elements and adds their sum to y[i]: several
    // blocks do that at the same time.
}

template <int width> static int launch(const gemv_col_task *task) {
    int code = cudaMemsetAsync(task->d_y, 0, (size_t)task->m * sizeof(float), 0);
    if (code != cudaSuccess) return code;
    dim3 grid((unsigned)((task->n + width - 1) / width),
              (unsigned)((task->m + BLOCK_HEIGHT - 1) / BLOCK_HEIGHT));
    block_multiply<width>
        <<<grid, BLOCK_HEIGHT>>>(task->m, task->n, task->d_a, task->d_x, task->d_y);
    return cudaGetLastError();
}

extern "C" int gemv_col_width1(const gemv_col_task *task, int width) {
    if (!IMPLEMENTED) return GEMV_COL_NOT_IMPLEMENTED;
    if (!gemv_col_is_valid(task) || task->op != GEMV_COL_AX) return cudaErrorInvalidValue;
    switch (width) {
    case 8: return launch<8>(task);
    case 16: return launch<16>(task);
    case 32: return launch<32>(task);
    case 64: return launch<64>(task);
    case 128: return launch<128>(task);
    case 256: return launch<256>(task);
    default: return cudaErrorInvalidValue;
    }
}

extern "C" int gemv_col_step1(const gemv_col_task *task) {
    return gemv_col_width1(task, BLOCK_WIDTH);
}
// ladder-skeleton e0e6f4fc0e4cbe60 (as it was handed out; any change makes this file yours)
