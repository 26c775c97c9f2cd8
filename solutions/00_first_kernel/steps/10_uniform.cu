// SPDX-License-Identifier: MIT
// Lab 00, step 10: whole warps take one path (CS 677 lecture 3: branch granularity a multiple of
// the size of a warp).
//
// Why step 9 is slow: every warp executes both paths. A block has 128 even and 128 odd elements:
// four warps can have the even ones, the other four the odd ones.
#include "first_kernel.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256

static __device__ float even_path(float x, int rounds) {
    float v = x;
    for (int r = 0; r < rounds; r++) {
        v = fmaf(0.5f, v, x);
    }
    return v;
}

static __device__ float odd_path(float x, int rounds) {
    float v = x;
    for (int r = 0; r < rounds; r++) {
        v = sqrtf(v + x);
    }
    return v;
}

// x, y: [n].
//   thread   0 1 2 .. 127  128 129 .. 255
//   element  0 2 4 .. 254  1   3   .. 255    of the block's
__global__ void uniform(const float *x, int64_t n, int rounds, float *y) {
    int64_t first = (int64_t)blockIdx.x * THREADS;
    // SOLUTION BEGIN
    bool even = threadIdx.x < THREADS / 2; // the same for all lanes of a warp
    int64_t i = first + (even ? 2 * threadIdx.x : 2 * (threadIdx.x - THREADS / 2) + 1);
    if (i >= n) return;
    if (even) {
        y[i] = even_path(x[i], rounds);
    } else {
        y[i] = odd_path(x[i], rounds);
    }
    // SOLUTION TODO: choose this thread's element so that the first half of the block has the even
    // SOLUTION TODO: ones, the second half the odd ones; then branch on something that all lanes of
    // SOLUTION TODO: a warp have in common
    // SOLUTION STUB: (void)first, (void)even_path, (void)odd_path;
}

extern "C" int first_kernel_step10(const float *d_x, int64_t n, int rounds, float *d_y) {
    if (!IMPLEMENTED) return FIRST_KERNEL_NOT_IMPLEMENTED;
    if (n == 0) return cudaSuccess;
    int64_t blocks = (n + THREADS - 1) / THREADS;
    uniform<<<(unsigned)blocks, THREADS>>>(d_x, n, rounds, d_y);
    return cudaGetLastError();
}
