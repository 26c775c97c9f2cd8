// SPDX-License-Identifier: MIT
// Lab 05, step 4: "Transpose THEN Block & Multiply" of the source: y = A^T x by writing A^T to the
// workspace, then step 1's kernel on it.
//
// What it fixes: loads that use 4 of 32 bytes. What it costs: the matrix is read, written and read
// again, and needs its memory twice.
#include "gemv_col.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define BLOCK_HEIGHT 1024
#define BLOCK_WIDTH  64
#define TILE         32 // a tile of the transposition is TILE x TILE elements
#define TILE_ROWS    8  // threads of its block: TILE x TILE_ROWS

// Tile number blockIdx.x, counted down the rows of A first. a: [n][m]; t: [m][n], which is A^T in
// column-major order: element (j, i) of A^T lies at t[j + i * n].
__global__ void __launch_bounds__(TILE *TILE_ROWS)
    transpose(int64_t m, int64_t n, const float *a, float *t) {
    __shared__ float tile[TILE][TILE + 1]; // one word more: a column lies in 32 banks
    int64_t down = (m + TILE - 1) / TILE;
    int64_t i0 = blockIdx.x % down * TILE, j0 = blockIdx.x / down * TILE;
    // SOLUTION BEGIN
    for (int k = threadIdx.y; k < TILE; k += TILE_ROWS) {
        if (i0 + threadIdx.x < m && j0 + k < n) {
            tile[k][threadIdx.x] = a[i0 + threadIdx.x + (j0 + k) * m];
        }
    }
    __syncthreads();
    for (int k = threadIdx.y; k < TILE; k += TILE_ROWS) {
        if (j0 + threadIdx.x < n && i0 + k < m) {
            t[j0 + threadIdx.x + (i0 + k) * n] = tile[threadIdx.x][k];
        }
    }
    // SOLUTION TODO: as in lab 01: each thread reads TILE / TILE_ROWS elements of the tile's
    // SOLUTION TODO: columns, neighbouring threads neighbouring rows; then it writes as many of
    // SOLUTION TODO: A^T, neighbouring threads neighbouring elements there.
}

// As in step 1, of the matrix A^T with n rows and m columns. t: [m][n]; x: [m]; y: [n], zero
// before.
template <int width>
__global__ void __launch_bounds__(BLOCK_HEIGHT)
    block_multiply(int64_t m, int64_t n, const float *t, const float *x, float *y) {
    __shared__ float section[width];
    int64_t first = (int64_t)blockIdx.x * width;
    int64_t j = (int64_t)blockIdx.y * BLOCK_HEIGHT + threadIdx.x;
    int columns = m - first < width ? (int)(m - first) : width;

    // SOLUTION BEGIN
    if (threadIdx.x < columns) {
        section[threadIdx.x] = x[first + threadIdx.x];
    }
    __syncthreads();
    if (j < n) {
        float sum = 0.0f;
        for (int k = 0; k < columns; k++) {
            sum += t[j + (first + k) * n] * section[k];
        }
        atomicAdd(&y[j], sum);
    }
    // SOLUTION TODO: step 1 on A^T: element k of this thread's row is t[j + (first + k) * n].
}

template <int width> static int launch(const gemv_col_task *task) {
    int64_t m = task->m, n = task->n;
    float *d_t = (float *)((char *)task->d_workspace + GEMV_COL_COUNTER_BYTES);
    int code = cudaMemsetAsync(task->d_y, 0, (size_t)n * sizeof(float), 0);
    if (code != cudaSuccess) return code;
    int64_t tiles = ((m + TILE - 1) / TILE) * ((n + TILE - 1) / TILE);
    transpose<<<(unsigned)tiles, dim3(TILE, TILE_ROWS)>>>(m, n, task->d_a, d_t);
    dim3 grid((unsigned)((m + width - 1) / width),
              (unsigned)((n + BLOCK_HEIGHT - 1) / BLOCK_HEIGHT));
    block_multiply<width><<<grid, BLOCK_HEIGHT>>>(m, n, d_t, task->d_x, task->d_y);
    return cudaGetLastError();
}

extern "C" int gemv_col_width4(const gemv_col_task *task, int width) {
    if (!IMPLEMENTED) return GEMV_COL_NOT_IMPLEMENTED;
    if (!gemv_col_is_valid(task) || task->op != GEMV_COL_ATX) return cudaErrorInvalidValue;
    switch (width) {
    case 8: return launch<8>(task);
    case 16: return launch<16>(task);
    case 32: return launch<32>(task);
    case 64: return launch<64>(task);
    case 128: return launch<128>(task);
    case 256: return launch<256>(task);
    default: return cudaErrorInvalidValue;
    }
}

extern "C" int gemv_col_step4(const gemv_col_task *task) {
    return gemv_col_width4(task, BLOCK_WIDTH);
}
