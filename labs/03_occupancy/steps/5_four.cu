// SPDX-License-Identifier: MIT
// Lab 03, step 5: a thread folds four columns at once.
//
// Why step 4 is slow: with few warps on the SM, two loads per thread do not hide the latency.
#include "occupancy.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define THREADS 256
#define COLUMNS 4 // a thread folds at once

// x: [rounds][columns]; y: [columns]. Thread t of a block folds the columns t, t + THREADS, .. of
// the block's.
__global__ void four(const float *__restrict__ x, int64_t columns, int rounds, float a,
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
    // TODO(student): as before with COLUMNS columns: arrays whose loops are unrolled (#pragma
    // unroll) are registers; the loop over the rounds keeps #pragma unroll 1
}

extern "C" int occupancy_step5(const float *d_x, int64_t columns, int rounds, float a,
                               int max_blocks, float *d_y) {
    if (!IMPLEMENTED) return OCCUPANCY_NOT_IMPLEMENTED;
    if (columns < 0 || columns > (1 << 26) || rounds < 0 || rounds > 64 || max_blocks < 1) {
        return cudaErrorInvalidValue;
    }
    if (columns == 0) return cudaSuccess;
    int64_t blocks = (columns + THREADS * COLUMNS - 1) / (THREADS * COLUMNS);
    int bytes = 0;
    cudaError_t code = limit_blocks((const void *)four, THREADS, max_blocks, &bytes);
    if (code != cudaSuccess) return code;
    four<<<(unsigned)blocks, THREADS, bytes>>>(d_x, columns, rounds, a, d_y);
    return cudaGetLastError();
}
// ladder-skeleton 370928a76483e9cc (as it was handed out; any change makes this file yours)
