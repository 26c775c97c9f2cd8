// SPDX-License-Identifier: MIT
// Lab 00, step 3: y[i] = a x[i] by as many threads as the device holds at once, each of which
// strides over the array.
//
// Why, if step 2 was fast: a thread of step 2 computes its index, handles one element and ends. A
// thread with several elements can keep values that it has computed or loaded for the next ones,
// and the number of blocks no longer depends on n.
#include "first_kernel.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256

// x, y: [n]. With G threads in the grid, thread g takes the elements g, g + G, g + 2 G, ..
__global__ void grid_stride(const float *x, int64_t n, float a, float *y) {
    // SOLUTION BEGIN
    int64_t all = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += all) {
        y[i] = a * x[i];
    }
    // SOLUTION TODO: step 1's loop: begin at this thread's number in the grid, go on by the number
    // SOLUTION TODO: of threads in it
}

// Blocks of this kernel that the whole device holds at once.
static cudaError_t resident_blocks(int64_t *out_blocks) {
    int device = 0, sms = 0, per_sm = 0;
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess) {
        code = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    }
    if (code == cudaSuccess) {
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, grid_stride, THREADS, 0);
    }
    *out_blocks = (int64_t)sms * per_sm;
    return code;
}

extern "C" int first_kernel_step3(const float *d_x, int64_t n, float a, float *d_y) {
    if (!IMPLEMENTED) return FIRST_KERNEL_NOT_IMPLEMENTED;
    if (n == 0) return cudaSuccess;
    int64_t most = 0;
    cudaError_t code = resident_blocks(&most);
    if (code != cudaSuccess) return code;
    int64_t blocks = (n + THREADS - 1) / THREADS;
    // SOLUTION BEGIN
    blocks = blocks < most ? blocks : most;
    // SOLUTION TODO: no more blocks than are resident at once
    grid_stride<<<(unsigned)blocks, THREADS>>>(d_x, n, a, d_y);
    return cudaGetLastError();
}
