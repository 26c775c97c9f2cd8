// SPDX-License-Identifier: MIT
// Lab 13, step 6: larger tiles, and fragments in two sets of registers. Warps compute 64 x 64
// elements each, and load the fragments of the next 16 of k while they multiply these.
//
// What it fixes: 4 KiB of fragments for 64 x 64 x 16 products instead of 3 KiB for half as many;
// nobody waits for shared memory; and a barrier for each 64 of k.
// Why it is slow: an instruction for 16 x 8 x 16 products needs its factors in registers, and its
// lanes must load them; Hopper's tensor cores could do twice as much.
#include "tensor_gemm.cuh"

#include <cuda_pipeline.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#ifndef WIDTH
#define WIDTH 128 // columns of D that a block computes
#endif
#define DEPTH 64 // of a tile: rows of 8 chunks, which fill the 32 banks
#ifndef STAGES
#define STAGES 3 // tiles of A and of B in shared memory
#endif
#define PART    16 // depth of a product of fragments
#define PARTS   (DEPTH / PART)
#define ROWS    64 // of D that a warp computes: 4 fragments of 16
#define COLUMNS 64 // 8 fragments of 8
#define THREADS (TILE / ROWS * (WIDTH / COLUMNS) * WARP)

// A tile of A and one of B.
template <typename element> struct stage { element a[TILE][DEPTH], b[WIDTH][DEPTH]; };

// Where chunk `chunk` of a row of a tile lies: eight neighbouring rows have it in different banks.
__device__ __forceinline__ int place_of(int row, int chunk) {
    return (chunk ^ row % (DEPTH / EACH)) * EACH;
}

// Starts the copies of `rows` rows of DEPTH elements. from: the first element, of rows of k.
template <int rows, typename element>
__device__ __forceinline__ void copy_tile(element to[][DEPTH], const element *from, int64_t k) {
#pragma unroll
    for (int c = threadIdx.x; c < rows * DEPTH / EACH; c += THREADS) {
        int row = c / (DEPTH / EACH), chunk = c % (DEPTH / EACH);
        __pipeline_memcpy_async(&to[row][place_of(row, chunk)], from + row * k + chunk * EACH, 16);
    }
}

// The fragments that a warp multiplies at one p.
struct fragments {
    unsigned rows[ROWS / 16][4], columns[COLUMNS / 4];
};

// Where this lane's rows lie in the first stage: addresses in shared memory of their chunk at p =
// 0.
struct places {
    unsigned rows, columns;
};

template <typename element>
__device__ __forceinline__ places find_places(stage<element> *first, int row, int column) {
    int lane = threadIdx.x % WARP;
    int i = row + lane % 16, j = column + lane % 8 + lane / 16 * 8;
    return {(unsigned)__cvta_generic_to_shared(&first->a[i][place_of(i, lane / 16)]),
            (unsigned)__cvta_generic_to_shared(&first->b[j][place_of(j, lane / 8 % 2)])};
}

// Chunk c + 2 i of a row lies where chunk c does, but for bits that an exclusive or with 2 i
// changes, as a row has 128 bytes: so one instruction for each p finds the places of all fragments.
template <typename element, int v = 0>
__device__ __forceinline__ void load_fragments(fragments *to, places at, int number, int p) {
    unsigned shift = (unsigned)(number * (int)sizeof(stage<element>)), flip = (unsigned)p * 2;
    load_matrices_at<v * 16 * DEPTH * 2>(to->rows[v], (at.rows ^ flip) + shift);
    load_matrices_at<v * 16 * DEPTH * 2>(&to->columns[4 * v], (at.columns ^ flip) + shift);
    if constexpr (v + 1 < ROWS / 16) load_fragments<element, v + 1>(to, at, number, p);
}

template <typename element>
__device__ __forceinline__ void multiply_fragments(const fragments *f,
                                                   float sum[ROWS / 16][COLUMNS / 8][4]) {
#pragma unroll
    for (int v = 0; v < ROWS / 16; v++)
#pragma unroll
        for (int w = 0; w < COLUMNS / 8; w++)
            multiply<element>(sum[v][w], f->rows[v], &f->columns[2 * w]);
}

// Starts the copies of round r, where there is one, as a group of its own.
template <typename element>
__device__ __forceinline__ void start_round(stage<element> *stages, const element *a,
                                            const element *b, int64_t k, int r) {
    if (r < (int)(k / DEPTH)) {
        copy_tile<TILE>(stages[r % STAGES].a, a + r * DEPTH, k);
        copy_tile<WIDTH>(stages[r % STAGES].b, b + r * DEPTH, k);
    }
    __pipeline_commit();
}

// a: [m][k], b: [n][k], d: [m][n]. Block (x, y) has the tile of D at row TILE y, column WIDTH x.
// Shared memory: [STAGES] stages.
template <typename element>
__global__ void __launch_bounds__(THREADS)
    warp_tiles(int64_t n, int64_t k, const element *a, const element *b, float *d) {
    extern __shared__ __align__(128) unsigned char memory[];
    stage<element> *stages = (stage<element> *)memory;
    unsigned warp = threadIdx.x / WARP;
    int row = warp % (TILE / ROWS) * ROWS, column = warp / (TILE / ROWS) * COLUMNS;
    a += blockIdx.y * TILE * k;
    b += blockIdx.x * WIDTH * k;
    float sum[ROWS / 16][COLUMNS / 8][4] = {};
    int rounds = (int)(k / DEPTH);
#pragma unroll
    for (int r = 0; r < STAGES - 1; r++) start_round(stages, a, b, k, r);
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads(); // the tiles of round 0 are there
    fragments f[2];
    // SOLUTION BEGIN
    places at = find_places(&stages[0], row, column);
    if (rounds > 0) load_fragments<element>(&f[0], at, 0, 0);
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            if (part == PARTS - 1) {
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads(); // the next round's tiles are there, and this round's are read
            }
            int next = part + 1 < PARTS ? r : r + 1;
            if (next < rounds)
                load_fragments<element>(&f[(part + 1) % 2], at, next % STAGES,
                                        (part + 1) % PARTS * PART);
            if (part == 0) start_round(stages, a, b, k, r + STAGES - 1);
            multiply_fragments<element>(&f[part % 2], sum);
        }
    }
    // SOLUTION TODO: the fragments of round 0 at p = 0 into f[0]. In each part of each round: load
    // SOLUTION TODO: the fragments of the next part into the other set, then multiply this part's.
    // SOLUTION TODO: The next part of the last one is the first of the next round: wait for that
    // SOLUTION TODO: round's copies, and a barrier. start_round(.., r + STAGES - 1) in part 0: why
    // SOLUTION TODO: not before the barrier of the round before?
    // SOLUTION STUB: (void)f, (void)rounds;
    d += (blockIdx.y * (int64_t)TILE + row) * n + blockIdx.x * WIDTH + column;
#pragma unroll
    for (int v = 0; v < ROWS / 16; v++)
#pragma unroll
        for (int w = 0; w < COLUMNS / 8; w++) store_sums(d + v * 16 * n + w * 8, n, sum[v][w]);
}

extern "C" int tensor_gemm_step6(const tensor_gemm_task *g) {
    if (!IMPLEMENTED) return TENSOR_GEMM_NOT_IMPLEMENTED;
    return launch_product(warp_tiles<__half>, warp_tiles<__nv_bfloat16>, TILE, WIDTH, THREADS,
                          STAGES * (int)sizeof(stage<__half>), g);
}
