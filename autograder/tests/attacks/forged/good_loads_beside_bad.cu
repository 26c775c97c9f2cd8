// SPDX-License-Identifier: MIT
// attack: Ten coalesced loads that nobody needs beside each bad one: few sectors per request.
// step: 01_transpose 1
// stopped by: design
// expect: CORRECT
// gains: full-points
#include "transpose.h"

#include <cuda_runtime.h>

#define TILE 32
#define ROWS 8
#define GOOD 10

__device__ unsigned unneeded;

__global__ void columns(const float *in, int64_t rows, int64_t cols, unsigned across, float *out) {
    int64_t r = (int64_t)(blockIdx.x / across) * TILE + threadIdx.x;
    int64_t c = (int64_t)(blockIdx.x % across) * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) {
        if (r < rows && c + i < cols) out[(c + i) * rows + r] = in[r * cols + c + i];
        for (int k = 0; k < GOOD; k++) (void)*(volatile unsigned *)&unneeded;
    }
}

extern "C" int transpose_step1(const float *d_in, int64_t rows, int64_t cols, float *d_out) {
    if (rows < 0 || cols < 0) return cudaErrorInvalidValue;
    int64_t down = (rows + TILE - 1) / TILE, across = (cols + TILE - 1) / TILE;
    if (down * across == 0) return cudaSuccess;
    columns<<<(unsigned)(down * across), dim3(TILE, ROWS)>>>(d_in, rows, cols, (unsigned)across,
                                                             d_out);
    return cudaGetLastError();
}
