// SPDX-License-Identifier: MIT
// Lab 00, step 15, a bug hunt: each of the 200 elements of a group becomes the sum of the others,
// by a tree of additions in shared memory. A block has one group.
//
// `ladder check first_kernel others` runs this kernel in the program bugs/4_others.cu. Its results
// may be right or wrong, or it may never end: that depends on the device and on the compiler.
#include "first_kernel.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have found and fixed the bug
#define IMPLEMENTED 1

#define THREADS 256
#define EACH    FIRST_KERNEL_GROUP // elements of a group

// x, y: [gridDim.x][EACH].
__global__ void others(const float *x, float *y) {
    __shared__ float partial[THREADS];
    int t = threadIdx.x;
    float mine = t < EACH ? x[(int64_t)blockIdx.x * EACH + t] : 0.0f;
    partial[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        // SOLUTION BEGIN
        if (t < half) {
            partial[t] += partial[t + half];
        }
        __syncthreads(); // for all threads, also for those that had nothing to add
        // SOLUTION STUB: if (t < half) {
        // SOLUTION STUB:     partial[t] += partial[t + half];
        // SOLUTION STUB:     __syncthreads();
        // SOLUTION STUB: }
    }
    __syncthreads();
    if (t < EACH) {
        y[(int64_t)blockIdx.x * EACH + t] = partial[0] - mine;
    }
}

static cudaError_t sum_others(const float *d_x, int64_t groups, float *d_y) {
    if (groups == 0) return cudaSuccess;
    others<<<(unsigned)groups, THREADS>>>(d_x, d_y);
    return cudaGetLastError();
}

extern "C" int first_kernel_step15(const float *d_x, int64_t groups, float *d_y) {
    if (!IMPLEMENTED) return FIRST_KERNEL_NOT_IMPLEMENTED;
    return sum_others(d_x, groups, d_y);
}
