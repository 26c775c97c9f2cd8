// SPDX-License-Identifier: MIT
// Lab 05, step 3: "Transposed Block & Multiply" of the source, algorithm 2: y = A^T x by blocks of
// BLOCK_WIDTH rows and BLOCK_HEIGHT columns, one thread per column. The indices of A are exchanged,
// A itself is not.
//
// What it fixes: too few threads. What it leaves: neighbouring threads read elements that are m
// apart, as in step 2.
#include "gemv_col.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define BLOCK_HEIGHT 1024 // columns of A, and threads, of a block
#define BLOCK_WIDTH  64   // rows of A of a block

// One block: rows blockIdx.x * width .., columns blockIdx.y * BLOCK_HEIGHT ..
// a: [n][m]; x: [m]; y: [n], zero before.
template <int width>
__global__ void __launch_bounds__(BLOCK_HEIGHT)
    block_transposed(int64_t m, int64_t n, const float *a, const float *x, float *y) {
    __shared__ float section[width];
    int64_t first = (int64_t)blockIdx.x * width;
    int64_t j = (int64_t)blockIdx.y * BLOCK_HEIGHT + threadIdx.x;
    int rows = m - first < width ? (int)(m - first) : width; // fewer in the last block

    // SOLUTION BEGIN
    if (threadIdx.x < rows) {
        section[threadIdx.x] = x[first + threadIdx.x];
    }
    __syncthreads();
    if (j < n) {
        float sum = 0.0f;
        for (int k = 0; k < rows; k++) {
            sum += a[first + k + j * m] * section[k];
        }
        atomicAdd(&y[j], sum);
    }
    // SOLUTION TODO: as in step 1, with x[first ..] for the block's rows, and in column j the
    // SOLUTION TODO: elements first .. first + rows - 1.
}

template <int width> static int launch(const gemv_col_task *task) {
    int code = cudaMemsetAsync(task->d_y, 0, (size_t)task->n * sizeof(float), 0);
    if (code != cudaSuccess) return code;
    dim3 grid((unsigned)((task->m + width - 1) / width),
              (unsigned)((task->n + BLOCK_HEIGHT - 1) / BLOCK_HEIGHT));
    block_transposed<width>
        <<<grid, BLOCK_HEIGHT>>>(task->m, task->n, task->d_a, task->d_x, task->d_y);
    return cudaGetLastError();
}

extern "C" int gemv_col_width3(const gemv_col_task *task, int width) {
    if (!IMPLEMENTED) return GEMV_COL_NOT_IMPLEMENTED;
    if (!gemv_col_is_valid(task) || task->op != GEMV_COL_ATX) return cudaErrorInvalidValue;
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

extern "C" int gemv_col_step3(const gemv_col_task *task) {
    return gemv_col_width3(task, BLOCK_WIDTH);
}
