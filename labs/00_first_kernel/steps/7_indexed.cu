// SPDX-License-Identifier: MIT
// Lab 00, step 7 (given): a table in constant memory; every lane reads another index.
//
// Why it is slow: constant memory delivers one address per access. 32 lanes with 32 indices need up
// to 32 accesses.
#include "first_kernel.h"

#include <cuda_runtime.h>

#define THREADS 256

__constant__ float constant_table[FIRST_KERNEL_TABLE];

// index, y: [n].
__global__ void indexed(const uint8_t *index, int64_t n, float *y) {
    int64_t all = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += all) {
        y[i] = constant_table[index[i]];
    }
}

extern "C" int first_kernel_step7(const uint8_t *d_index, int64_t n, const float *d_table,
                                  float *d_y) {
    if (n == 0) return cudaSuccess;
    cudaError_t code = cudaMemcpyToSymbolAsync(constant_table, d_table, sizeof constant_table, 0,
                                               cudaMemcpyDeviceToDevice);
    if (code != cudaSuccess) return code;
    int64_t blocks = (n + THREADS - 1) / THREADS;
    int64_t most = 1056; // 8 on each of an H100's 132 SMs
    indexed<<<(unsigned)(blocks < most ? blocks : most), THREADS>>>(d_index, n, d_y);
    return cudaGetLastError();
}
// ladder-skeleton a659b5213592c263 (as it was handed out; any change makes this file yours)
