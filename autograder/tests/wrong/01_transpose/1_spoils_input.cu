// SPDX-License-Identifier: MIT
// wrong-kernel: step=1 file=1_naive.cu expect=WRONG_ANSWER
// Uses the input as scratch space: right once, wrong when the same matrix is transposed again.
//
// Lab 01, step 1: the obvious transposition: read along a row, write along a column.
//
// Why it is slow: a warp's 32 reads lie in 4 sectors of 32 bytes, its 32 writes in 32 of them.
#include "transpose.h"

#include <cuda_runtime.h>

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
    for (int i = 0; i < TILE; i += ROWS) {
        if (r + i < rows && c < cols) {
            out[c * rows + r + i] = in[(r + i) * cols + c];
            const_cast<float *>(in)[(r + i) * cols + c] = 0.0f;
        }
    }
}

extern "C" int transpose_step1(const float *d_in, int64_t rows, int64_t cols, float *d_out) {
    if (!IMPLEMENTED) {
        return TRANSPOSE_NOT_IMPLEMENTED;
    }
    if (rows < 0 || cols < 0) {
        return cudaErrorInvalidValue;
    }
    int64_t down = (rows + TILE - 1) / TILE;
    int64_t across = (cols + TILE - 1) / TILE;
    if (down * across == 0) {
        return cudaSuccess; // a launch of no blocks would be an error
    }
    naive<<<(unsigned)(down * across), dim3(TILE, ROWS)>>>(d_in, rows, cols, (unsigned)across,
                                                           d_out);
    return cudaGetLastError();
}
