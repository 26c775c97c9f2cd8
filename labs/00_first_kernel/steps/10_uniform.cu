// SPDX-License-Identifier: MIT
// Lab 00, step 10: whole warps take one path (CS 677 lecture 3: branch granularity a multiple of
// the size of a warp).
//
// Why step 9 is slow: every warp executes both paths. A block has 128 even and 128 odd elements:
// four warps can have the even ones, the other four the odd ones.
#include "first_kernel.h"

#include <cuda_runtime.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

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
    // TODO(student): choose this thread's element so that the first half of the block has the even
    // ones, the second half the odd ones; then branch on something that all lanes of
    // a warp have in common
    (void)first, (void)even_path, (void)odd_path;
}

extern "C" int first_kernel_step10(const float *d_x, int64_t n, int rounds, float *d_y) {
    if (!IMPLEMENTED) return FIRST_KERNEL_NOT_IMPLEMENTED;
    if (n == 0) return cudaSuccess;
    int64_t blocks = (n + THREADS - 1) / THREADS;
    uniform<<<(unsigned)blocks, THREADS>>>(d_x, n, rounds, d_y);
    return cudaGetLastError();
}
// ladder-skeleton 346e233348c808a4 (as it was handed out; any change makes this file yours)
