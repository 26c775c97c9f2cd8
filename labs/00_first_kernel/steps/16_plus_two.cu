// SPDX-License-Identifier: MIT
// Lab 00, step 16, a bug hunt: y = x + 1, then y = y + 1, each by a kernel; somebody has "tuned"
// the second launch.
//
// `ladder check first_kernel plus_two` runs this code in the program bugs/5_plus_two.cu.
#include "first_kernel.h"

#include <cuda_runtime.h>

// TODO(student): set this to 1 when you have found and fixed the bug
#define IMPLEMENTED 0

// from, to: [n].
__global__ void plus_one(const float *from, int64_t n, float *to) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = from[i] + 1.0f;
    }
}

static unsigned blocks_of(int64_t n, int threads) {
    return (unsigned)((n + threads - 1) / threads);
}

static cudaError_t plus_two(const float *d_x, int64_t n, float *d_y) {
    if (n == 0) return cudaSuccess;
    plus_one<<<blocks_of(n, 256), 256>>>(d_x, n, d_y);
    plus_one<<<blocks_of(n, 2048), 2048>>>(d_y, n, d_y);
    return cudaSuccess;
}

extern "C" int first_kernel_step16(const float *d_x, int64_t n, float *d_y) {
    if (!IMPLEMENTED) return FIRST_KERNEL_NOT_IMPLEMENTED;
    return plus_two(d_x, n, d_y);
}
// ladder-skeleton 9b8047365af5ead2 (as it was handed out; any change makes this file yours)
