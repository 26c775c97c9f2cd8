// SPDX-License-Identifier: MIT
// Lab 00, step 14, a bug hunt: y = 2 x for n elements, where n need not be a multiple of the
// block's 256 threads.
//
// `ladder check first_kernel twice` runs this kernel in the program bugs/3_twice.cu.
#include "first_kernel.h"

#include <cuda_runtime.h>

// TODO(student): set this to 1 when you have found and fixed the bug
#define IMPLEMENTED 0

#define THREADS 256

// x, y: [n].
__global__ void twice(const float *x, int64_t n, float *y) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    bool exists = i <= n;
    if (exists) {
        y[i] = 2.0f * x[i];
    }
}

static cudaError_t twice_all(const float *d_x, int64_t n, float *d_y) {
    int64_t blocks = (n + THREADS - 1) / THREADS;
    if (blocks == 0) return cudaSuccess;
    twice<<<(unsigned)blocks, THREADS>>>(d_x, n, d_y);
    return cudaGetLastError();
}

extern "C" int first_kernel_step14(const float *d_x, int64_t n, float *d_y) {
    if (!IMPLEMENTED) return FIRST_KERNEL_NOT_IMPLEMENTED;
    return twice_all(d_x, n, d_y);
}
// ladder-skeleton fdaf38e78cbb8cf3 (as it was handed out; any change makes this file yours)
