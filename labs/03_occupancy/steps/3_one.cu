// SPDX-License-Identifier: MIT
// Lab 03, step 3 (given): a thread folds one column.
//
// Why it is slow: one load in flight per thread; each of its rounds waits for memory once.
#include "occupancy.cuh"

#define THREADS 256

// x: [rounds][columns]; y: [columns]. A thread folds one column.
__global__ void one(const float *__restrict__ x, int64_t columns, int rounds, float a,
                    float *__restrict__ y) {
    int64_t j = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (j < columns) {
        y[j] = fold_one(x + j, columns, rounds, a);
    }
}

extern "C" int occupancy_step3(const float *d_x, int64_t columns, int rounds, float a,
                               int max_blocks, float *d_y) {
    if (columns < 0 || columns > (1 << 26) || rounds < 0 || rounds > 64 || max_blocks < 1) {
        return cudaErrorInvalidValue;
    }
    if (columns == 0) return cudaSuccess;
    int64_t blocks = (columns + THREADS - 1) / (THREADS);
    int bytes = 0;
    cudaError_t code = limit_blocks((const void *)one, THREADS, max_blocks, &bytes);
    if (code != cudaSuccess) return code;
    one<<<(unsigned)blocks, THREADS, bytes>>>(d_x, columns, rounds, a, d_y);
    return cudaGetLastError();
}
// ladder-skeleton c525d1c47c1353f8 (as it was handed out; any change makes this file yours)
