// SPDX-License-Identifier: MIT
// Lab 03, step 7: 52 columns per thread in blocks of 1024 threads; the compiler must know their
// size.
//
// Why not simply more columns: independent work needs registers, and in a block of 1024 threads
// each can have 64.
#include "occupancy.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 1024
#define COLUMNS 52 // a thread folds at once

// SOLUTION BEGIN
#define BOUNDS __launch_bounds__(THREADS)
// SOLUTION TODO: 1024 threads may have 64 registers each. The compiler takes 72 and the launch is
// SOLUTION TODO: refused: it does not know how large a block will be. Tell it: THREADS threads.
// SOLUTION STUB: #define BOUNDS

// x: [rounds][columns]; y: [columns]. Thread t folds the block's columns t, t + THREADS, ..
__global__ void BOUNDS launch_bounds(const float *__restrict__ x, int64_t columns, int rounds,
                                     float a, float *__restrict__ y) {
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
    float v[COLUMNS] = {};
    x += j;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        float loaded[COLUMNS];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) loaded[c] = x[c * THREADS];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) v[c] = fmaf(a, v[c], loaded[c]);
        x += columns;
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) y[j + c * THREADS] = v[c];
    // SOLUTION TODO: as before with COLUMNS columns: arrays whose loops are unrolled (#pragma
    // SOLUTION TODO: unroll) are registers; the loop over the rounds keeps #pragma unroll 1
}

extern "C" int occupancy_step7(const float *d_x, int64_t columns, int rounds, float a,
                               int max_blocks, float *d_y) {
    if (!IMPLEMENTED) return OCCUPANCY_NOT_IMPLEMENTED;
    if (columns < 0 || columns > (1 << 26) || rounds < 0 || rounds > 64 || max_blocks < 1) {
        return cudaErrorInvalidValue;
    }
    if (columns == 0) return cudaSuccess;
    int64_t blocks = (columns + THREADS * COLUMNS - 1) / (THREADS * COLUMNS);
    launch_bounds<<<(unsigned)blocks, THREADS>>>(d_x, columns, rounds, a, d_y);
    return cudaGetLastError();
}
