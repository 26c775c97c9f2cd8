// SPDX-License-Identifier: MIT
// Lab 03, step 8: the tightest launch bound that does not spill.
//
// What a bound costs: values that do not fit into the registers go to local memory, in every
// round.
#include "occupancy.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define THREADS 256
#define COLUMNS 32 // a thread folds at once
// TODO(student): 8 blocks leave 32 registers for 32 sums: look for local memory in the profile,
// then find the largest number that has none
#define BLOCKS 8

// x: [rounds][columns]; y: [columns]. Thread t of a block folds the columns t, t + THREADS, .. of
// the block's.
__global__ void __launch_bounds__(THREADS, BLOCKS)
    spills(const float *__restrict__ x, int64_t columns, int rounds, float a,
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

extern "C" int occupancy_step8(const float *d_x, int64_t columns, int rounds, float a,
                               int max_blocks, float *d_y) {
    if (!IMPLEMENTED) return OCCUPANCY_NOT_IMPLEMENTED;
    if (columns < 0 || columns > (1 << 26) || rounds < 0 || rounds > 64 || max_blocks < 1) {
        return cudaErrorInvalidValue;
    }
    if (columns == 0) return cudaSuccess;
    int64_t blocks = (columns + THREADS * COLUMNS - 1) / (THREADS * COLUMNS);
    spills<<<(unsigned)blocks, THREADS>>>(d_x, columns, rounds, a, d_y);
    return cudaGetLastError();
}
// ladder-skeleton c82e9082182c9256 (as it was handed out; any change makes this file yours)
