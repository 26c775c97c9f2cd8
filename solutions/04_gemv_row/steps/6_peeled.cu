// SPDX-License-Identifier: MIT
// Lab 04, step 6: one block of 256 threads per row, four float4 in flight per thread, and rows of
// any alignment: up to three elements are peeled off before the first multiple of 16 bytes.
//
// What it fixes: no copy of A, no barrier in the loop, and by Little's law enough bytes in flight:
// 64 per thread. x comes from the L1 cache: m blocks read it, but it is small.
// Why it is slow: with short rows most of the 256 threads have nothing to do, and with few rows
// most of the SMs.
#include "gemv_row.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS   256
#define WARP      32
#define ALL_LANES 0xffffffffu
#define WIDE      4 // 16-byte loads in flight per thread

__device__ __forceinline__ float dot4(float4 a, float4 x) {
    return a.x * x.x + a.y * x.y + a.z * x.z + a.w * x.w;
}

// x need not be aligned where a row is.
__device__ __forceinline__ float4 load_x(const float *x) {
    return make_float4(__ldg(x), __ldg(x + 1), __ldg(x + 2), __ldg(x + 3));
}

// The block's values added up; valid in thread 0. All threads must call it.
__device__ __forceinline__ float reduce_block(float value) {
    // SOLUTION BEGIN
    __shared__ float partial[THREADS / WARP];
    unsigned t = threadIdx.x;
    for (int distance = WARP / 2; distance >= 1; distance /= 2) {
        value += __shfl_down_sync(ALL_LANES, value, distance);
    }
    if (t % WARP == 0) {
        partial[t / WARP] = value;
    }
    __syncthreads();
    if (t < WARP) {
        value = t < THREADS / WARP ? partial[t] : 0.0f;
        for (int distance = THREADS / WARP / 2; distance >= 1; distance /= 2) {
            value += __shfl_down_sync(ALL_LANES, value, distance);
        }
    }
    // SOLUTION TODO: each warp as in step 2, then the first warp adds up the warps' sums
    return value;
}

// a: [m][n] row-major; x: [n]; y: [m]. Block b has row b.
__global__ void __launch_bounds__(THREADS)
    peeled(const float *a, const float *x, float *y, unsigned n) {
    unsigned t = threadIdx.x;
    float sum = 0.0f;

    // SOLUTION BEGIN
    const float *row = a + (size_t)blockIdx.x * n;
    unsigned head = (unsigned)((0 - (uintptr_t)row / sizeof(float)) & 3); // before the boundary
    head = head < n ? head : n;
    unsigned vectors = (n - head) / 4;
    const float4 *row4 = (const float4 *)(row + head);
    x += head;
    unsigned i = t;
    for (; i + (WIDE - 1) * THREADS < vectors; i += WIDE * THREADS) {
        float4 v[WIDE]; // all loads are issued before the first value is used
#pragma unroll
        for (int k = 0; k < WIDE; k++) {
            v[k] = __ldcs(row4 + i + k * THREADS); // used once: need not stay in a cache
        }
#pragma unroll
        for (int k = 0; k < WIDE; k++) {
            sum += dot4(v[k], load_x(x + 4 * (i + k * THREADS)));
        }
    }
    for (; i < vectors; i += THREADS) {
        sum += dot4(__ldcs(row4 + i), load_x(x + 4 * i));
    }
    // At most 3 elements before the vectors and 3 behind them.
    if (t < head) {
        sum += row[t] * (x - head)[t];
    }
    unsigned tail = 4 * vectors + t;
    if (tail < n - head) {
        sum += row[head + tail] * x[tail];
    }
    // SOLUTION TODO: find how many elements lie before the row's first multiple of 16 bytes (at
    // SOLUTION TODO: most 3, at most n), and how many whole float4 follow. Each thread strides over
    // SOLUTION TODO: these by THREADS, with WIDE loads issued before their values are used. Single
    // SOLUTION TODO: threads take the elements before and behind.

    sum = reduce_block(sum);
    if (t == 0) {
        y[blockIdx.x] = sum;
    }
}

extern "C" int gemv_row_step6(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                              void *d_workspace, size_t workspace_bytes) {
    (void)d_workspace;
    if (!IMPLEMENTED) return GEMV_ROW_NOT_IMPLEMENTED;
    if (!gemv_row_valid(matrix->m, matrix->n, workspace_bytes)) return cudaErrorInvalidValue;
    peeled<<<(unsigned)matrix->m, THREADS>>>(matrix->a, d_x, d_y, (unsigned)matrix->n);
    return cudaGetLastError();
}
