// SPDX-License-Identifier: MIT
// Lab 13, step 4: swizzled tiles. The chunks of 16 bytes of a row are exchanged, differently in
// different rows, so that a column of chunks lies in different banks.
//
// What it fixes: the bank conflicts of ldmatrix: eight rows of a matrix, eight groups of four
// banks. Why it is slow: while the next tiles are on their way from memory, the tensor cores have
// nothing to do.
#include "tensor_gemm.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define DEPTH   32 // of a tile
#define PART    16 // depth of a product of fragments
#define THREADS 256
#define ROWS    64 // of D that a warp computes: 4 fragments of 16
#define COLUMNS 32 // 4 fragments of 8

// Where chunk `chunk` of a row of a tile lies. Rows r and r + 1 fill the 32 banks once; of eight
// rows those with the same r % 2 must have it in different banks.
__device__ __forceinline__ int place_of(int row, int chunk) {
    // SOLUTION BEGIN
    return (chunk ^ row / 2 % (DEPTH / EACH)) * EACH;
    // SOLUTION TODO: the number of the place, times EACH: a permutation of the row's four chunks
    // SOLUTION TODO: that depends on row / 2. Exclusive or with the last bits of row / 2 is one.
    // SOLUTION STUB: return chunk * EACH + row * 0;
}

// Copies TILE rows of DEPTH elements, 16 bytes at a time. from: the first element, of rows of k.
template <typename element>
__device__ __forceinline__ void copy_tile(element to[TILE][DEPTH], const element *from, int64_t k) {
#pragma unroll
    for (int c = threadIdx.x; c < TILE * DEPTH / EACH; c += THREADS) {
        int row = c / (DEPTH / EACH), chunk = c % (DEPTH / EACH);
        *(uint4 *)&to[row][place_of(row, chunk)] = *(const uint4 *)(from + row * k + chunk * EACH);
    }
}

// The fragment of A of rows row .. row + 15, depth p .. p + 15 (multiply() says which lane has
// what).
template <typename element>
__device__ __forceinline__ void load_rows(unsigned got[4], element tile[TILE][DEPTH], int row,
                                          int p) {
    int lane = threadIdx.x % WARP, mine = row + lane % 16;
    // SOLUTION BEGIN
    load_matrices(got, &tile[mine][place_of(mine, p / EACH + lane / 16)]);
    // SOLUTION TODO: as in step 3, at the chunk's place.
    // SOLUTION STUB: (void)mine;
}

// Two fragments of B: got[0], got[1] of columns column .. column + 7, the others of the next 8.
template <typename element>
__device__ __forceinline__ void load_columns(unsigned got[4], element tile[TILE][DEPTH], int column,
                                             int p) {
    int lane = threadIdx.x % WARP, mine = column + lane % 8 + lane / 16 * 8;
    // SOLUTION BEGIN
    load_matrices(got, &tile[mine][place_of(mine, p / EACH + lane / 8 % 2)]);
    // SOLUTION TODO: likewise.
    // SOLUTION STUB: (void)mine;
}

// a: [m][k], b: [n][k], d: [m][n]. Block (x, y) has the tile of D at row TILE y, column TILE x.
template <typename element>
__global__ void __launch_bounds__(THREADS)
    swizzled(int64_t n, int64_t k, const element *a, const element *b, float *d) {
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
        }
        __syncthreads(); // all warps are done with them
    }
    d += (blockIdx.y * (int64_t)TILE + row) * n + blockIdx.x * TILE + column;
#pragma unroll
    for (int v = 0; v < ROWS / 16; v++)
#pragma unroll
        for (int w = 0; w < COLUMNS / 8; w++) store_sums(d + v * 16 * n + w * 8, n, sum[v][w]);
}

extern "C" int tensor_gemm_step4(const tensor_gemm_task *g) {
    if (!IMPLEMENTED) return TENSOR_GEMM_NOT_IMPLEMENTED;
    return launch_product(swizzled<__half>, swizzled<__nv_bfloat16>, TILE, TILE, THREADS, 0, g);
}
