// SPDX-License-Identifier: MIT
// Lab 00, step 11: a whole program, every call of which may fail.
//
// Why it matters: the runtime does not stop a program whose launch was refused. It goes on with
// the old content of the output array, and reports nothing unless it is asked.
#include "first_kernel.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

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
    // SOLUTION BEGIN
    cudaError_t code = cudaMalloc((void **)&m->d_x, bytes);
    if (code == cudaSuccess) {
        code = cudaMalloc((void **)&m->d_y, bytes);
    }
    if (code == cudaSuccess && scratch_bytes > 0) {
        code = cudaMalloc(&m->d_scratch, (size_t)scratch_bytes);
    }
    return code;
    // SOLUTION TODO: allocate d_x and d_y with `bytes` each, d_scratch if scratch_bytes > 0. Stop
    // SOLUTION TODO: at the first error and return it.
    // SOLUTION STUB: (void)bytes, (void)scratch_bytes, (void)m;
    // SOLUTION STUB: return cudaSuccess;
}

static cudaError_t launch(const memory *m, int64_t n, float a, int threads) {
    // SOLUTION BEGIN
    int64_t blocks = threads > 0 ? (n + threads - 1) / threads : 1; // 0 threads: let it be refused
    scale<<<(unsigned)blocks, threads>>>(m->d_x, n, a, m->d_y);
    cudaError_t code = cudaGetLastError();                       // was the launch accepted?
    return code == cudaSuccess ? cudaDeviceSynchronize() : code; // did the kernel run to its end?
    // SOLUTION TODO: launch, then ask twice: was the launch accepted, and did the kernel end well?
    // SOLUTION TODO: threads may be anything, 0 too: the runtime's own answer is wanted
    // SOLUTION STUB: (void)m, (void)n, (void)a, (void)threads;
    // SOLUTION STUB: return cudaSuccess;
}

extern "C" int first_kernel_step11(const float *h_x, int64_t n, float a, int threads,
                                   int64_t scratch_bytes, float *h_y) {
    if (!IMPLEMENTED) return FIRST_KERNEL_NOT_IMPLEMENTED;
    if (n == 0) return cudaSuccess;
    size_t bytes = (size_t)n * sizeof(float);
    memory m = {NULL, NULL, NULL};
    cudaError_t code = allocate(bytes, scratch_bytes, &m);
    // SOLUTION BEGIN
    if (code == cudaSuccess) {
        code = cudaMemcpy(m.d_x, h_x, bytes, cudaMemcpyHostToDevice);
    }
    if (code == cudaSuccess) {
        code = launch(&m, n, a, threads);
    }
    if (code == cudaSuccess) {
        code = cudaMemcpy(h_y, m.d_y, bytes, cudaMemcpyDeviceToHost);
    }
    cudaFree(m.d_x); // cudaFree(NULL) does nothing
    cudaFree(m.d_y);
    cudaFree(m.d_scratch);
    cudaGetLastError(); // what was met is returned; it must not be met again by the next caller
    // SOLUTION TODO: copy h_x to the device, launch, copy the result back: each only if all went
    // SOLUTION TODO: well so far. Then, in any case, free the memory and leave no error behind.
    // SOLUTION STUB: (void)h_x, (void)a, (void)threads, (void)h_y, (void)launch;
    return code;
}
