// SPDX-License-Identifier: MIT
// Lab 00, step 13, a bug hunt: the forward difference y[i] = x[i + 1] - x[i] through a tile in
// shared memory.
//
// `ladder check first_kernel forward` runs this kernel in the program bugs/2_forward.cu.
#include "first_kernel.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have found and fixed the bug
#define IMPLEMENTED 1

#define THREADS 256

// x, y: [n]. After the last element stands a 0: y[n - 1] = -x[n - 1].
__global__ void forward(const float *x, int64_t n, float *y) {
    __shared__ float tile[THREADS];
    int t = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * THREADS + t;
    // SOLUTION BEGIN
    tile[t] = i < n ? x[i] : 0.0f;
    __syncthreads(); // thread t reads what thread t + 1 has written
    // SOLUTION STUB: tile[t] = i < n ? x[i] : 0.0f;
    if (i < n && t < THREADS - 1) {
        y[i] = tile[t + 1] - tile[t];
    } else if (i < n) {
        y[i] = (i + 1 < n ? x[i + 1] : 0.0f) - tile[t];
    }
}

static cudaError_t forward_difference(const float *d_x, int64_t n, float *d_y) {
    int64_t blocks = (n + THREADS - 1) / THREADS;
    if (blocks == 0) return cudaSuccess;
    forward<<<(unsigned)blocks, THREADS>>>(d_x, n, d_y);
    return cudaGetLastError();
}

extern "C" int first_kernel_step13(const float *d_x, int64_t n, float *d_y) {
    if (!IMPLEMENTED) return FIRST_KERNEL_NOT_IMPLEMENTED;
    return forward_difference(d_x, n, d_y);
}
