// SPDX-License-Identifier: MIT
// Lab 01, step 0 (given): a copy, built like the transpositions that follow. It moves the same
// bytes and does nothing else: what a transposition with such accesses can reach.
#include "transpose.cuh"

#define TILE 32 // elements on a side
#define ROWS 8  // rows of threads in a block: each thread has TILE / ROWS elements

// in: [rows][cols]; out: [rows][cols]. A block copies the TILE x TILE elements of one tile; across
// is the number of tiles side by side. Thread (x, y) has column x and every ROWS-th row from y.
__global__ void __launch_bounds__(TILE *ROWS)
    copy(const float *in, int64_t rows, int64_t cols, unsigned across, float *out) {
    int64_t r = (int64_t)(blockIdx.x / across) * TILE + threadIdx.y;
    int64_t c = (int64_t)(blockIdx.x % across) * TILE + threadIdx.x;
    for (int i = 0; i < TILE; i += ROWS) {
        if (r + i < rows && c < cols) {
            out[(r + i) * cols + c] = in[(r + i) * cols + c];
        }
    }
}

extern "C" int transpose_step0(const float *d_in, int64_t rows, int64_t cols, float *d_out) {
    return launch_tiles(copy, TILE, dim3(TILE, ROWS), d_in, rows, cols, d_out);
}
// ladder-skeleton 857fac2a8f81a132 (as it was handed out; any change makes this file yours)
