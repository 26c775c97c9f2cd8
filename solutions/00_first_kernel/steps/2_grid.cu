// SPDX-License-Identifier: MIT
// Lab 00, step 2: y[i] = a x[i], one thread per element.
//
// Why step 1 is slow: a block runs on one SM from beginning to end, and the device has many (an
// H100: 132).
#include "first_kernel.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256

// x, y: [n]. Each thread has one element:
//   blockIdx.x   0 0 .. 0    1   1  .. 1     2
//   threadIdx.x  0 1 .. 255  0   1  .. 255   0
//   element      0 1 .. 255  256 257.. 511   512   = blockIdx.x * THREADS + threadIdx.x
__global__ void grid(const float *x, int64_t n, float a, float *y) {
    // SOLUTION BEGIN
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) { // the last block has threads for which there is no element
        y[i] = a * x[i];
    }
    // SOLUTION TODO: this thread's element (as int64_t: the product may pass 2^31). Not every
    // SOLUTION TODO: thread of the last block has one.
}

extern "C" int first_kernel_step2(const float *d_x, int64_t n, float a, float *d_y) {
    if (!IMPLEMENTED) return FIRST_KERNEL_NOT_IMPLEMENTED;
    if (n == 0) {
        return cudaSuccess; // a grid of 0 blocks is an error
    }
    // SOLUTION BEGIN
    int64_t blocks = (n + THREADS - 1) / THREADS; // rounded up: 257 elements need two blocks
    // SOLUTION TODO: enough blocks for n elements
    // SOLUTION STUB: int64_t blocks = 1;
    grid<<<(unsigned)blocks, THREADS>>>(d_x, n, a, d_y);
    return cudaGetLastError();
}
