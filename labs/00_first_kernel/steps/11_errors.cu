// SPDX-License-Identifier: MIT
// Lab 00, step 11: a whole program, every call of which may fail.
//
// Why it matters: the runtime does not stop a program whose launch was refused. It goes on with
// the old content of the output array, and reports nothing unless it is asked.
#include "first_kernel.h"

#include <cuda_runtime.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

// x, y: [n]. Any number of threads per block.
__global__ void scale(const float *x, int64_t n, float a, float *y) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i];
    }
}

// The memory that a run owns: NULL where nothing has been allocated.
typedef struct memory {
    float *d_x, *d_y;
    void *d_scratch;
} memory;

static cudaError_t allocate(size_t bytes, int64_t scratch_bytes, memory *m) {
    // TODO(student): allocate d_x and d_y with `bytes` each, d_scratch if scratch_bytes > 0. Stop
    // at the first error and return it.
    (void)bytes, (void)scratch_bytes, (void)m;
    return cudaSuccess;
}

static cudaError_t launch(const memory *m, int64_t n, float a, int threads) {
    // TODO(student): launch, then ask twice: was the launch accepted, and did the kernel end well?
    // threads may be anything, 0 too: the runtime's own answer is wanted
    (void)m, (void)n, (void)a, (void)threads;
    return cudaSuccess;
}

extern "C" int first_kernel_step11(const float *h_x, int64_t n, float a, int threads,
                                   int64_t scratch_bytes, float *h_y) {
    if (!IMPLEMENTED) return FIRST_KERNEL_NOT_IMPLEMENTED;
    if (n == 0) return cudaSuccess;
    size_t bytes = (size_t)n * sizeof(float);
    memory m = {NULL, NULL, NULL};
    cudaError_t code = allocate(bytes, scratch_bytes, &m);
    // TODO(student): copy h_x to the device, launch, copy the result back: each only if all went
    // well so far. Then, in any case, free the memory and leave no error behind.
    (void)h_x, (void)a, (void)threads, (void)h_y, (void)launch;
    return code;
}
// ladder-skeleton 851f63d157ce7c82 (as it was handed out; any change makes this file yours)
