// SPDX-License-Identifier: MIT
// Kernels of the micro-ladders: see micro.c. Source of the patterns: CS 677 lecture 3, sections
// "Control Flow", "Constants" and "Configuring the Cache".
#include "reference.h"

#include <cuda_runtime.h>

#define WARP       32
#define MOST_PATHS 32
#define ROUNDS     16
#define WORDS      256

// The same work whichever path it is, but each path is a branch of its own.
__global__ void __launch_bounds__(MICRO_THREADS)
    walk_paths(int granularity, int paths, float *sink) {
    int t = threadIdx.x;
    int mine = granularity > 0 ? t / granularity > 2 : t % paths;
    float v = 1.0f + (float)t;
#pragma unroll 1
    for (int path = 0; path < MOST_PATHS; path++) {
        if (mine == path) {
#pragma unroll 1
            for (int r = 0; r < ROUNDS; r++) {
                v = sqrtf(v + (float)path);
            }
        }
    }
    if (v < 0.0f) { // never: keeps the work alive
        *sink = v;
    }
}

__constant__ float constant_words[WORDS] = {1.0f};

__global__ void __launch_bounds__(MICRO_THREADS) read_constant(int addresses, float *sink) {
    const float *mine = constant_words + threadIdx.x % WARP % addresses;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < MICRO_READS; k++) {
        sum += mine[k];
    }
    if (sum < 0.0f) {
        *sink = sum;
    }
}

__global__ void __launch_bounds__(MICRO_THREADS) read_shared(int addresses, float *sink) {
    __shared__ float words[WORDS];
    words[threadIdx.x] = (float)threadIdx.x; // WORDS == MICRO_THREADS
    __syncthreads();
    // volatile: every load is one instruction of 4 bytes, none is merged with the next.
    const volatile float *mine = words + threadIdx.x % WARP % addresses;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < MICRO_READS; k++) {
        sum += mine[k];
    }
    if (sum < 0.0f) {
        *sink = sum;
    }
}

__global__ void __launch_bounds__(MICRO_CARVE_THREADS) read_again(const float *x, float *sink) {
    const int words = MICRO_CARVE_BYTES / (int)sizeof(float);
    const float *mine = x + (long)blockIdx.x * words;
    float sum = 0.0f;
#pragma unroll 1
    for (int round = 0; round < MICRO_CARVE_ROUNDS; round++) {
        for (int i = threadIdx.x; i < words; i += MICRO_CARVE_THREADS) {
            sum += mine[i];
        }
        __syncthreads(); // the next round finds in the L1 what this one has left there
    }
    if (sum < 0.0f) {
        *sink = sum;
    }
}

extern "C" int micro_paths(int granularity, int paths, int blocks, float *d_sink) {
    walk_paths<<<blocks, MICRO_THREADS>>>(granularity, paths, d_sink);
    return cudaGetLastError();
}

extern "C" int micro_constant(int addresses, int blocks, float *d_sink) {
    read_constant<<<blocks, MICRO_THREADS>>>(addresses, d_sink);
    return cudaGetLastError();
}

extern "C" int micro_shared(int addresses, int blocks, float *d_sink) {
    read_shared<<<blocks, MICRO_THREADS>>>(addresses, d_sink);
    return cudaGetLastError();
}

extern "C" int micro_carve(const float *d_x, int percent, int blocks, float *d_sink) {
    cudaError_t code =
        cudaFuncSetAttribute(read_again, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
    if (code != cudaSuccess) return code;
    read_again<<<blocks, MICRO_CARVE_THREADS>>>(d_x, d_sink);
    return cudaGetLastError();
}
