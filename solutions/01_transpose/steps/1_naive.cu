// SPDX-License-Identifier: MIT
// Lab 01, step 1: the obvious transposition: read along a row, write along a column.
//
// Why it is slow: a warp's reads lie side by side, its writes a column of `out` apart: of each
// sector that a write touches it fills 4 bytes.
#include "transpose.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define TILE 32 // elements on a side
#define ROWS 8  // rows of threads in a block: each thread has TILE / ROWS elements

// in: [rows][cols]; out: [cols][rows]. A block transposes the TILE x TILE elements of one tile;
// across is the number of tiles side by side in the input.
// Thread (x, y) has column x of the tile and every ROWS-th row from y.
__global__ void __launch_bounds__(TILE *ROWS)
    naive(const float *in, int64_t rows, int64_t cols, unsigned across, float *out) {
    int64_t r = (int64_t)(blockIdx.x / across) * TILE + threadIdx.y;
    int64_t c = (int64_t)(blockIdx.x % across) * TILE + threadIdx.x;
    // SOLUTION BEGIN
    for (int i = 0; i < TILE; i += ROWS) {
        if (r + i < rows && c < cols) {
            out[c * rows + r + i] = in[(r + i) * cols + c];
        }
    }
    // SOLUTION TODO: as the copy of step 0, but element (r, c) goes to row c, column r of out,
    // SOLUTION TODO: which has `rows` elements per row. Let neighbouring threads read neighbours.
}

extern "C" int transpose_step1(const float *d_in, int64_t rows, int64_t cols, float *d_out) {
    if (!IMPLEMENTED) return TRANSPOSE_NOT_IMPLEMENTED;
    return launch_tiles(naive, TILE, dim3(TILE, ROWS), d_in, rows, cols, d_out);
}
