// SPDX-License-Identifier: MIT
// Lab 03, step 4: a thread folds two columns at once.
//
// Why step 3 is slow: while its one load is in flight, a warp has nothing to do.
#include "occupancy.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256
#define COLUMNS 2 // a thread folds at once

// x: [rounds][columns]; y: [columns]. Thread t of a block folds the columns t, t + THREADS, .. of
// the block's.
__global__ void two(const float *__restrict__ x, int64_t columns, int rounds, float a,
                    float *__restrict__ y) {
    int64_t first = (int64_t)blockIdx.x * THREADS * COLUMNS;
    int64_t j = first + threadIdx.x;
    if (first + THREADS * COLUMNS > columns) { // the last block: columns may be missing
        for (int c = 0; c < COLUMNS; c++, j += THREADS) {
            if (j < columns) {
                y[j] = fold_one(x + j, columns, rounds, a);
            }
        }
        return;
    }
    // SOLUTION BEGIN
    float v0 = 0.0f, v1 = 0.0f;
    x += j;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        float x0 = x[0], x1 = x[THREADS]; // two loads in flight before the first is needed
        v0 = fmaf(a, v0, x0);
        v1 = fmaf(a, v1, x1);
        x += columns;
    }
    y[j] = v0;
    y[j + THREADS] = v1;
    // SOLUTION TODO: fold columns j and j + THREADS in one loop over the rounds (#pragma unroll 1):
    // SOLUTION TODO: load both, then use both
}

extern "C" int occupancy_step4(const float *d_x, int64_t columns, int rounds, float a,
                               int max_blocks, float *d_y) {
    if (!IMPLEMENTED) return OCCUPANCY_NOT_IMPLEMENTED;
    if (columns < 0 || columns > (1 << 26) || rounds < 0 || rounds > 64 || max_blocks < 1) {
        return cudaErrorInvalidValue;
    }
    if (columns == 0) return cudaSuccess;
    int64_t blocks = (columns + THREADS * COLUMNS - 1) / (THREADS * COLUMNS);
    int bytes = 0;
    cudaError_t code = limit_blocks((const void *)two, THREADS, max_blocks, &bytes);
    if (code != cudaSuccess) return code;
    two<<<(unsigned)blocks, THREADS, bytes>>>(d_x, columns, rounds, a, d_y);
    return cudaGetLastError();
}
