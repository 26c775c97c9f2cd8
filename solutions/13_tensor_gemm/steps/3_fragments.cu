// SPDX-License-Identifier: MIT
// Lab 13, step 3: the instruction of the tensor cores itself. Each lane knows which elements it
// holds; ldmatrix brings four matrices of 8 x 8 at a time.
//
// What it fixes: nothing yet: wmma does the same, but where its fragments lie is its own affair.
// Now the layout of the tiles is ours to choose, as is the order of loads and products.
// Why it is slow: the eight rows that an 8 x 8 matrix is read from begin in two banks.
#include "tensor_gemm.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define DEPTH   32 // of a tile
#define PART    16 // depth of a product of fragments
#define THREADS 256
#define ROWS    64 // of D that a warp computes: 4 fragments of 16
#define COLUMNS 32 // 4 fragments of 8

// Copies TILE rows of DEPTH elements, 16 bytes at a time. from: the first element, of rows of k.
template <typename element>
__device__ __forceinline__ void copy_tile(element to[TILE][DEPTH], const element *from, int64_t k) {
#pragma unroll
    for (int c = threadIdx.x; c < TILE * DEPTH / EACH; c += THREADS) {
        int row = c / (DEPTH / EACH), chunk = c % (DEPTH / EACH);
        *(uint4 *)&to[row][chunk * EACH] = *(const uint4 *)(from + row * k + chunk * EACH);
    }
}

// The fragment of A of rows row .. row + 15, depth p .. p + 15 (multiply() says which lane has
// what).
template <typename element>
__device__ __forceinline__ void load_rows(unsigned got[4], element tile[TILE][DEPTH], int row,
                                          int p) {
    unsigned lane = threadIdx.x % WARP;
    // SOLUTION BEGIN
    load_matrices(got, &tile[row + lane % 16][p + lane / 16 * EACH]);
    // SOLUTION TODO: four matrices in the order of a[0] .. a[3]: the upper and the lower 8 rows at
    // SOLUTION TODO: p, then both at p + 8. Which row of which does this lane name?
    // SOLUTION STUB: (void)lane;
}

// Two fragments of B: got[0], got[1] of columns column .. column + 7, the others of the next 8.
template <typename element>
__device__ __forceinline__ void load_columns(unsigned got[4], element tile[TILE][DEPTH], int column,
                                             int p) {
    unsigned lane = threadIdx.x % WARP;
    // SOLUTION BEGIN
    load_matrices(got, &tile[column + lane % 8 + lane / 16 * 8][p + lane / 8 % 2 * EACH]);
    // SOLUTION TODO: likewise: 8 columns at p and at p + 8, then the next 8 columns at both.
    // SOLUTION STUB: (void)lane;
}

// a: [m][k], b: [n][k], d: [m][n]. Block (x, y) has the tile of D at row TILE y, column TILE x.
template <typename element>
__global__ void __launch_bounds__(THREADS)
    by_fragments(int64_t n, int64_t k, const element *a, const element *b, float *d) {
    __shared__ __align__(16) element a_tile[TILE][DEPTH], b_tile[TILE][DEPTH];
    unsigned warp = threadIdx.x / WARP;
    int row = warp % 2 * ROWS, column = warp / 2 * COLUMNS; // of the warp's part of the tile
    a += blockIdx.y * TILE * k;
    b += blockIdx.x * TILE * k;
    float sum[ROWS / 16][COLUMNS / 8][4] = {};
    for (int64_t p0 = 0; p0 < k; p0 += DEPTH) {
        copy_tile(a_tile, a + p0, k);
        copy_tile(b_tile, b + p0, k);
        __syncthreads(); // the tiles are there
#pragma unroll
        for (int p = 0; p < DEPTH; p += PART) {
            unsigned columns[COLUMNS / 4], rows[4];
            // SOLUTION BEGIN
#pragma unroll
            for (int w = 0; w < COLUMNS / 8; w += 2)
                load_columns(&columns[2 * w], b_tile, column + w * 8, p);
#pragma unroll
            for (int v = 0; v < ROWS / 16; v++) {
                load_rows(rows, a_tile, row + v * 16, p);
#pragma unroll
                for (int w = 0; w < COLUMNS / 8; w++)
                    multiply<element>(sum[v][w], rows, &columns[2 * w]);
            }
            // SOLUTION TODO: load all fragments of B at p; then for each of A's load it, and
            // SOLUTION TODO: multiply it with all of B's.
            // SOLUTION STUB: (void)columns, (void)rows;
        }
        __syncthreads(); // all warps are done with them
    }
    d += (blockIdx.y * (int64_t)TILE + row) * n + blockIdx.x * TILE + column;
#pragma unroll
    for (int v = 0; v < ROWS / 16; v++)
#pragma unroll
        for (int w = 0; w < COLUMNS / 8; w++) store_sums(d + v * 16 * n + w * 8, n, sum[v][w]);
}

extern "C" int tensor_gemm_step3(const tensor_gemm_task *g) {
    if (!IMPLEMENTED) return TENSOR_GEMM_NOT_IMPLEMENTED;
    return launch_product(by_fragments<__half>, by_fragments<__nv_bfloat16>, TILE, TILE, THREADS, 0,
                          g);
}
