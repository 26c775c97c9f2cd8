// SPDX-License-Identifier: MIT
// Lab 01, step 4: no padding; instead each row of the tile permutes its words.
//
// What it improves: no memory is lost to padding. Element c of row r lies at index c XOR r. Along a
// row this is a permutation of 0..31, along a column too; so neither has a bank conflict.
// Why it is slow: each thread moves 4 bytes at a time and has four loads in flight.
#include "transpose.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define TILE 32 // elements on a side
#define ROWS 8  // rows of threads in a block: each thread has TILE / ROWS elements

// in: [rows][cols]; out: [cols][rows]. A block transposes the TILE x TILE elements of one tile;
// across is the number of tiles side by side in the input.
__global__ void __launch_bounds__(TILE *ROWS)
    swizzled(const float *in, int64_t rows, int64_t cols, unsigned across, float *out) {
    __shared__ float tile[TILE][TILE];                  // exactly 4 KiB
    int64_t r0 = (int64_t)(blockIdx.x / across) * TILE; // the tile's first row and column
    int64_t c0 = (int64_t)(blockIdx.x % across) * TILE;
    int x = threadIdx.x;
    int y = threadIdx.y;

    // TODO(student): the code of step 2, but element (r, c) of the tile lies in tile[r][c ^ r],
    // both when it is written and when it is read.
}

extern "C" int transpose_step4(const float *d_in, int64_t rows, int64_t cols, float *d_out) {
    if (!IMPLEMENTED) return TRANSPOSE_NOT_IMPLEMENTED;
    return launch_tiles(swizzled, TILE, dim3(TILE, ROWS), d_in, rows, cols, d_out);
}
// ladder-skeleton 47e0867513a8cab6 (as it was handed out; any change makes this file yours)
