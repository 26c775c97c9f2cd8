// SPDX-License-Identifier: MIT
// Kernels of the micro-ladders: see micro.c. Source of the patterns: CS 677 lecture 3, sections
// "Memory Coalescing" and "Bank Addressing Examples". They must do nothing but load.
#include "reference.h"

#include <cuda_runtime.h>

#define WARP  32
#define WORDS 2048 // of shared memory: 31 * 33 + 255 is the last word that is read

__global__ void __launch_bounds__(MICRO_THREADS)
    global_pattern(const float *x, int stride, int offset, float *sink) {
    int64_t i = (int64_t)blockIdx.x * MICRO_THREADS + threadIdx.x;
    float value = x[i * stride + offset];
    if (value != value) { // keeps the load alive; the data are finite
        *sink = value;
    }
}

__global__ void __launch_bounds__(MICRO_THREADS) shared_pattern(int stride, float *sink) {
    __shared__ float words[WORDS];
    for (int i = threadIdx.x; i < WORDS; i += MICRO_THREADS) {
        words[i] = (float)i;
    }
    __syncthreads();
    // volatile: every load is one instruction of 4 bytes, none is merged with the next.
    const volatile float *mine = words + threadIdx.x % WARP * stride;
    float sum = 0.0f;
    for (int k = 0; k < MICRO_SHARED_LOADS; k++) {
        sum += mine[k];
    }
    if (sum < 0.0f) {
        *sink = sum;
    }
}

extern "C" int micro_global(const float *d_x, int stride, int offset, int blocks, float *d_sink) {
    global_pattern<<<blocks, MICRO_THREADS>>>(d_x, stride, offset, d_sink);
    return cudaGetLastError();
}

extern "C" int micro_shared(int stride, int blocks, float *d_sink) {
    shared_pattern<<<blocks, MICRO_THREADS>>>(stride, d_sink);
    return cudaGetLastError();
}
