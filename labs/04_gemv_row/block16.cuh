// SPDX-License-Identifier: MIT
// Given to steps 4 and 5 of lab 04: the block of step 3, and what it does with its partial sums.
#pragma once

#include "gemv_row.h"

#include <cuda_runtime.h>

#define TILE    16
#define COLUMNS (TILE * TILE) // of x that are staged at a time: one per thread
#define WIDTH   4             // floats per load, or per texel

// The block's partial sums, one per thread, to y[first .. first+15] below m. All threads must call.
__device__ __forceinline__ void reduce_rows(float sum, float *y, int64_t first, int64_t m) {
    __shared__ float partial[TILE][TILE + 1];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    partial[ty][tx] = sum;
    for (int stride = TILE / 2; stride >= 1; stride /= 2) {
        __syncthreads();
        if (tx < stride) {
            partial[ty][tx] += partial[ty][tx + stride];
        }
    }
    __syncthreads();
    if (ty == 0 && first + tx < m) {
        y[first + tx] = partial[tx][0];
    }
}

__device__ __forceinline__ float dot4(float4 a, float4 x) {
    return a.x * x.x + a.y * x.y + a.z * x.z + a.w * x.w;
}
