// SPDX-License-Identifier: MIT
// Lab 01, step 2: a tile in shared memory, read and written along rows of the matrices. Rows
// and columns are exchanged in shared memory.
//
// What it improves: reads and writes of a warp lie in 4 sectors each.
// Why it is slow: the elements of a column of the tile all lie in one bank, and a warp reads them
// together.
#include "transpose.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define TILE 32 // elements on a side
#define ROWS 8  // rows of threads in a block: each thread has TILE / ROWS elements

// in: [rows][cols]; out: [cols][rows]. A block transposes the TILE x TILE elements of one tile;
// across is the number of tiles side by side in the input.
__global__ void __launch_bounds__(TILE *ROWS)
    tiled(const float *in, int64_t rows, int64_t cols, unsigned across, float *out) {
    __shared__ float tile[TILE][TILE];
    int64_t r0 = (int64_t)(blockIdx.x / across) * TILE; // the tile's first row and column
    int64_t c0 = (int64_t)(blockIdx.x % across) * TILE;
    int x = threadIdx.x;
    int y = threadIdx.y;

    // SOLUTION BEGIN
    for (int i = y; i < TILE; i += ROWS) {
        if (r0 + i < rows && c0 + x < cols) {
            tile[i][x] = in[(r0 + i) * cols + c0 + x];
        }
    }
    __syncthreads();                       // each thread reads what others have written
    for (int i = y; i < TILE; i += ROWS) { // i: column of the tile, row of the output
        if (c0 + i < cols && r0 + x < rows) {
            out[(c0 + i) * rows + r0 + x] = tile[x][i];
        }
    }
    // SOLUTION TODO: 1. Thread (x, y) loads elements (y, x), (y + ROWS, x), .. of the tile into
    // SOLUTION TODO:    tile[][]; not what lies outside the matrix.
    // SOLUTION TODO: 2. What must all threads have done before any thread reads the tile?
    // SOLUTION TODO: 3. In the output, the tile begins at row c0, column r0. Let
    // SOLUTION TODO:    neighbouring threads write neighbours there. Which element of the tile is
    // SOLUTION TODO:    thread (x, y)'s now, and when is it outside the matrix?
}

extern "C" int transpose_step2(const float *d_in, int64_t rows, int64_t cols, float *d_out) {
    if (!IMPLEMENTED) return TRANSPOSE_NOT_IMPLEMENTED;
    return launch_tiles(tiled, TILE, dim3(TILE, ROWS), d_in, rows, cols, d_out);
}
