// SPDX-License-Identifier: MIT
// Lab 13, step 8: products of warp groups (wgmma, compute capability 9.0). Four warps multiply 64
// rows of A with 128 columns of B at once, straight from the tiles in shared memory, and go on
// while the tensor cores work.
//
// What it fixes: no lane loads a factor: an instruction of a group does 131,072 multiply-adds, 64
// times as many as mma.sync, and needs no register but those of its sums.
// Why it is slow: once in each round all warps meet at a barrier before the next copies start, and
// 128 x 128 tiles take as many bytes from the L2 as the tensor cores can wait for.
#include "boxes.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define DEPTH   BOX_COLUMNS // of a tile: rows of 128 bytes
#define STAGES  3           // tiles of A and of B in shared memory: two blocks fit on an SM
#define PART    16          // depth of a product
#define ROWS    64          // of D that a warp group computes, with all columns of the tile
#define GROUP   128         // threads of a warp group
#define THREADS (TILE / ROWS * GROUP)

// A box of A and one of B.
template <typename element> struct stage { element a[TILE][DEPTH], b[TILE][DEPTH]; };

template <typename element> struct shared {
    stage<element> stages[STAGES];
    barrier full[STAGES]; // a phase: both boxes of a round have arrived
};

// Called by one thread: starts the copies of round r, where there is one.
template <typename element>
__device__ __forceinline__ void start_round(shared<element> *s, const tensor_gemm_map *a,
                                            const tensor_gemm_map *b, int r, int rounds) {
    if (r >= rounds) return;
    stage<element> *to = &s->stages[r % STAGES];
    barrier *full = &s->full[r % STAGES];
    expect_bytes(full, sizeof *to);
    start_box(to->a, a, blockIdx.y * TILE, r * DEPTH, full);
    start_box(to->b, b, blockIdx.x * TILE, r * DEPTH, full);
}

// Adds the products of a stage to sum: the group's rows of A, from `row` on, and all columns of B.
template <typename element>
__device__ __forceinline__ void multiply_stage(stage<element> *from, int row,
                                               float (&sum)[TILE / 2]) {
    // SOLUTION BEGIN
    uint64_t a = name_tile(from->a[row]), b = name_tile(from->b);
    begin_products();
#pragma unroll
    for (int p = 0; p < DEPTH; p += PART)
        multiply_tiles<element, TILE>(sum, a + p * 2 / 16, b + p * 2 / 16);
    end_products();
    // SOLUTION TODO: name both tiles; begin_products; a product for each PART of DEPTH, whose names
    // SOLUTION TODO: lie PART elements further on, counted in units of 16 bytes; end_products
    // SOLUTION STUB: (void)from, (void)row, (void)sum;
}

// a, b: [m][k] and [n][k] in boxes of TILE rows; d: [m][n]. Block (x, y) has the tile of D at row
// TILE y, column TILE x.
template <typename element>
__global__ void __launch_bounds__(THREADS)
    groups(const __grid_constant__ tensor_gemm_map a, const __grid_constant__ tensor_gemm_map b,
           int64_t n, int rounds, float *d) {
    extern __shared__ __align__(1024) unsigned char memory[];
    shared<element> *s = (shared<element> *)memory;
    int row = threadIdx.x / GROUP * ROWS;
    float sum[TILE / 2] = {};
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) init_barrier(&s->full[i], 1);
        show_barriers();
        for (int r = 0; r < STAGES - 1; r++) start_round(s, &a, &b, r, rounds);
    }
    __syncthreads(); // the barriers are there
    for (int r = 0; r < rounds; r++) {
        // SOLUTION BEGIN
        wait_for(&s->full[r % STAGES], r / STAGES % 2);
        multiply_stage(&s->stages[r % STAGES], row, sum);
        wait_products<1>(); // those of the round before are done
        __syncthreads();    // of both groups
        if (threadIdx.x == 0) start_round(s, &a, &b, r + STAGES - 1, rounds);
        // SOLUTION TODO: wait for the round's boxes, and start its products. Its stage may be
        // SOLUTION TODO: overwritten when they are done, but waiting for them would leave the
        // SOLUTION TODO: tensor cores with nothing to do: wait for those of the round before only,
        // SOLUTION TODO: in both groups, and let one thread start the round that goes to that
        // SOLUTION TODO: stage.
        // SOLUTION STUB: (void)row;
    }
    if (rounds > 0) wait_products<0>(); // or else all sums are still 0
    int warp = threadIdx.x / WARP * 16; // its rows of the tile
    d += (blockIdx.y * (int64_t)TILE + warp) * n + blockIdx.x * TILE;
#pragma unroll
    for (int w = 0; w < TILE / 8; w++) store_sums(d + w * 8, n, &sum[4 * w]);
}

extern "C" int tensor_gemm_step8(const tensor_gemm_task *g) {
    if (!IMPLEMENTED) return TENSOR_GEMM_NOT_IMPLEMENTED;
    return launch_boxes(groups<__half>, groups<__nv_bfloat16>, TILE, THREADS,
                        sizeof(shared<__half>), g);
}
