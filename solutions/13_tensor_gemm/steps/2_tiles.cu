// SPDX-License-Identifier: MIT
// Lab 13, step 2: tiles in shared memory. A block of eight warps computes 128 x 128 elements of D;
// the fragments come from tiles of A and B that the block has copied.
//
// What it fixes: an element of A or B is loaded from the L2 once for 128 products instead of once
// for 32; the warps that share it read it from shared memory.
// Why it is slow: rows of the tiles begin in two banks only, so the lanes that read a column of
// chunks wait for each other; and while a tile is copied nobody multiplies.
#include "tensor_gemm.cuh"

#include <mma.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

using namespace nvcuda;

#define PART    16 // rows, columns and depth of a fragment
#define DEPTH   32 // of a tile
#define THREADS 256
#define ROWS    64 // of D that a warp computes
#define COLUMNS 32

// Copies TILE rows of DEPTH elements, 16 bytes at a time. from: the first element, of rows of k.
template <typename element>
__device__ __forceinline__ void copy_tile(element to[TILE][DEPTH], const element *from, int64_t k) {
    // SOLUTION BEGIN
#pragma unroll
    for (int c = threadIdx.x; c < TILE * DEPTH / EACH; c += THREADS) {
        int row = c / (DEPTH / EACH), chunk = c % (DEPTH / EACH);
        *(uint4 *)&to[row][chunk * EACH] = *(const uint4 *)(from + row * k + chunk * EACH);
    }
    // SOLUTION TODO: a row has DEPTH / EACH chunks of 16 bytes: which chunks does a thread copy, so
    // SOLUTION TODO: that neighbouring lanes read neighbouring chunks?
}

// a: [m][k], b: [n][k], d: [m][n]. Block (x, y) has the tile of D at row TILE y, column TILE x.
template <typename element>
__global__ void __launch_bounds__(THREADS)
    by_tiles(int64_t n, int64_t k, const element *a, const element *b, float *d) {
    __shared__ __align__(32) element a_tile[TILE][DEPTH], b_tile[TILE][DEPTH];
    unsigned warp = threadIdx.x / WARP;
    int row = warp % 2 * ROWS, column = warp / 2 * COLUMNS; // of the warp's part of the tile
    a += blockIdx.y * TILE * k;
    b += blockIdx.x * TILE * k;
    d += (blockIdx.y * (int64_t)TILE + row) * n + blockIdx.x * TILE + column;
    wmma::fragment<wmma::accumulator, PART, PART, PART, float> sum[ROWS / PART][COLUMNS / PART];
#pragma unroll
    for (int v = 0; v < ROWS / PART; v++)
#pragma unroll
        for (int w = 0; w < COLUMNS / PART; w++) wmma::fill_fragment(sum[v][w], 0.0f);
    for (int64_t p0 = 0; p0 < k; p0 += DEPTH) {
        copy_tile(a_tile, a + p0, k);
        copy_tile(b_tile, b + p0, k);
        // SOLUTION BEGIN
        __syncthreads(); // the tiles are there
#pragma unroll
        for (int p = 0; p < DEPTH; p += PART) {
            wmma::fragment<wmma::matrix_b, PART, PART, PART, element, wmma::col_major>
                columns[COLUMNS / PART];
#pragma unroll
            for (int w = 0; w < COLUMNS / PART; w++)
                wmma::load_matrix_sync(columns[w], &b_tile[column + w * PART][p], DEPTH);
#pragma unroll
            for (int v = 0; v < ROWS / PART; v++) {
                wmma::fragment<wmma::matrix_a, PART, PART, PART, element, wmma::row_major> rows;
                wmma::load_matrix_sync(rows, &a_tile[row + v * PART][p], DEPTH);
#pragma unroll
                for (int w = 0; w < COLUMNS / PART; w++)
                    wmma::mma_sync(sum[v][w], rows, columns[w], sum[v][w]);
            }
        }
        __syncthreads(); // all warps are done with them
        // SOLUTION TODO: for each PART of the tile's depth load the warp's fragments of b_tile,
        // SOLUTION TODO: then those of a_tile one by one, and multiply. What must lie between
        // SOLUTION TODO: copying and loading, and what between loading and the next copy?
    }
#pragma unroll
    for (int v = 0; v < ROWS / PART; v++)
#pragma unroll
        for (int w = 0; w < COLUMNS / PART; w++)
            wmma::store_matrix_sync(d + v * PART * n + w * PART, sum[v][w], (unsigned)n,
                                    wmma::mem_row_major);
}

extern "C" int tensor_gemm_step2(const tensor_gemm_task *g) {
    if (!IMPLEMENTED) return TENSOR_GEMM_NOT_IMPLEMENTED;
    return launch_product(by_tiles<__half>, by_tiles<__nv_bfloat16>, TILE, TILE, THREADS, 0, g);
}
