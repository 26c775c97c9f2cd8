// SPDX-License-Identifier: MIT
// Lab 01, step 3: one unused word at the end of each row of the tile (the lecture's odd strides;
// the CNN lecture pads its GEMM tile for the same reason).
//
// What it improves: rows are 33 words apart, so the 32 words of a column lie in 32 banks.
// What it costs: 128 bytes of shared memory per block, and rows that are no longer 16-byte aligned.
#include "transpose.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define TILE 32 // elements on a side
#define ROWS 8  // rows of threads in a block: each thread has TILE / ROWS elements

// in: [rows][cols]; out: [cols][rows]. A block transposes the TILE x TILE elements of one tile;
// across is the number of tiles side by side in the input.
__global__ void __launch_bounds__(TILE *ROWS)
    padded(const float *in, int64_t rows, int64_t cols, unsigned across, float *out) {
    // TODO(student): element (r, x) of the tile lies in bank (r * width + x) mod 32. Which width
    // puts the 32 elements of a column into 32 different banks?
    int64_t r0 = (int64_t)(blockIdx.x / across) * TILE; // the tile's first row and column
    int64_t c0 = (int64_t)(blockIdx.x % across) * TILE;
    int x = threadIdx.x;
    int y = threadIdx.y;

    // TODO(student): the code of step 2
}

extern "C" int transpose_step3(const float *d_in, int64_t rows, int64_t cols, float *d_out) {
    if (!IMPLEMENTED) return TRANSPOSE_NOT_IMPLEMENTED;
    return launch_tiles(padded, TILE, dim3(TILE, ROWS), d_in, rows, cols, d_out);
}
// ladder-skeleton de06e6baedef0db8 (as it was handed out; any change makes this file yours)
