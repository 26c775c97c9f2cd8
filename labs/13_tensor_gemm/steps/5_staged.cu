// SPDX-License-Identifier: MIT
// Lab 13, step 5: asynchronous copies. Tiles go to shared memory past the registers, STAGES - 1
// rounds before they are multiplied.
//
// What it fixes: waiting for memory: it takes longer than the products of one tile; and a barrier
// per tile instead of two.
// Why it is slow: each warp loads 3 KiB of fragments from shared memory for 64 x 32 x 16 products,
// and waits for them before it multiplies.
#include "tensor_gemm.cuh"

#include <cuda_pipeline.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define DEPTH   32 // of a tile
#define PART    16 // depth of a product of fragments
#define THREADS 256
#define STAGES  4  // tiles of A and of B in shared memory
#define ROWS    64 // of D that a warp computes: 4 fragments of 16
#define COLUMNS 32 // 4 fragments of 8

// A tile of A and one of B.
template <typename element> struct stage { element a[TILE][DEPTH], b[TILE][DEPTH]; };

// Where chunk `chunk` of a row of a tile lies: as in step 4.
__device__ __forceinline__ int place_of(int row, int chunk) {
    return (chunk ^ row / 2 % (DEPTH / EACH)) * EACH;
}

// Starts the copies of TILE rows of DEPTH elements. from: the first element, of rows of k.
template <typename element>
__device__ __forceinline__ void copy_tile(element to[TILE][DEPTH], const element *from, int64_t k) {
#pragma unroll
    for (int c = threadIdx.x; c < TILE * DEPTH / EACH; c += THREADS) {
        int row = c / (DEPTH / EACH), chunk = c % (DEPTH / EACH);
        // TODO(student): __pipeline_memcpy_async(to, from, 16) instead of a load and a store
        (void)row, (void)chunk;
    }
}

// The fragment of A of rows row .. row + 15, depth p .. p + 15.
template <typename element>
__device__ __forceinline__ void load_rows(unsigned got[4], element tile[TILE][DEPTH], int row,
                                          int p) {
    int lane = threadIdx.x % WARP, mine = row + lane % 16;
    load_matrices(got, &tile[mine][place_of(mine, p / EACH + lane / 16)]);
}

// Two fragments of B: got[0], got[1] of columns column .. column + 7, the others of the next 8.
template <typename element>
__device__ __forceinline__ void load_columns(unsigned got[4], element tile[TILE][DEPTH], int column,
                                             int p) {
    int lane = threadIdx.x % WARP, mine = column + lane % 8 + lane / 16 * 8;
    load_matrices(got, &tile[mine][place_of(mine, p / EACH + lane / 8 % 2)]);
}

// Multiplies the tiles of a stage: the warp's part of D from row `row`, column `column` on.
template <typename element>
__device__ __forceinline__ void multiply_stage(stage<element> *s, int row, int column,
                                               float sum[ROWS / 16][COLUMNS / 8][4]) {
#pragma unroll
    for (int p = 0; p < DEPTH; p += PART) {
        unsigned columns[COLUMNS / 4], rows[4];
#pragma unroll
        for (int w = 0; w < COLUMNS / 8; w += 2)
            load_columns(&columns[2 * w], s->b, column + w * 8, p);
#pragma unroll
        for (int v = 0; v < ROWS / 16; v++) {
            load_rows(rows, s->a, row + v * 16, p);
#pragma unroll
            for (int w = 0; w < COLUMNS / 8; w++)
                multiply<element>(sum[v][w], rows, &columns[2 * w]);
        }
    }
}

// a: [m][k], b: [n][k], d: [m][n]. Block (x, y) has the tile of D at row TILE y, column TILE x.
// Shared memory: [STAGES] stages.
template <typename element>
__global__ void __launch_bounds__(THREADS, 2)
    staged(int64_t n, int64_t k, const element *a, const element *b, float *d) {
    extern __shared__ __align__(16) unsigned char memory[];
    stage<element> *stages = (stage<element> *)memory;
    unsigned warp = threadIdx.x / WARP;
    int row = warp % 2 * ROWS, column = warp / 2 * COLUMNS; // of the warp's part of the tile
    a += blockIdx.y * TILE * k;
    b += blockIdx.x * TILE * k;
    float sum[ROWS / 16][COLUMNS / 8][4] = {};
    int rounds = (int)(k / DEPTH);
    // TODO(student): start the copies of the first STAGES - 1 rounds, each a group of its own
    // (__pipeline_commit). In round r: wait until the group of this round is there
    // (__pipeline_wait_prior(groups that may still be on their way)), a barrier,
    // start the copies of round r + STAGES - 1, multiply_stage. Which stage do they
    // overwrite, and who might still be reading it?
    (void)stages, (void)rounds;
    d += (blockIdx.y * (int64_t)TILE + row) * n + blockIdx.x * TILE + column;
#pragma unroll
    for (int v = 0; v < ROWS / 16; v++)
#pragma unroll
        for (int w = 0; w < COLUMNS / 8; w++) store_sums(d + v * 16 * n + w * 8, n, sum[v][w]);
}

extern "C" int tensor_gemm_step5(const tensor_gemm_task *g) {
    if (!IMPLEMENTED) return TENSOR_GEMM_NOT_IMPLEMENTED;
    return launch_product(staged<__half>, staged<__nv_bfloat16>, TILE, TILE, THREADS,
                          STAGES * (int)sizeof(stage<__half>), g);
}
// ladder-skeleton 94b302b41cd91673 (as it was handed out; any change makes this file yours)
