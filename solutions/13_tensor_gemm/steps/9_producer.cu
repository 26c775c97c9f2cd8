// SPDX-License-Identifier: MIT
// Lab 13, step 9: a producer. One warp group only starts copies, two multiply; they meet at
// mbarriers, two for each stage: "full" tells that the boxes have arrived, "empty" that both groups
// have multiplied them. The producer gives registers to the others, which then hold sums of 64 x
// 256 elements each.
//
// What it fixes: nobody waits for all others; copies run ahead as far as there are stages. Tiles of
// 128 x 256 take three quarters of the bytes.
// Why it is slow: while a block stores its sums, its tensor cores rest, and neighbours load the
// same boxes of B each for itself.
#include "boxes.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define WIDTH     256         // columns of D that a block computes
#define DEPTH     BOX_COLUMNS // of a tile: rows of 128 bytes
#define STAGES    4           // tiles of A and of B in shared memory: 192 KiB
#define PART      16          // depth of a product
#define ROWS      64          // of D that a consumer computes, with all columns of the tile
#define GROUP     128         // threads of a warp group
#define CONSUMERS (TILE / ROWS)
#define THREADS   ((CONSUMERS + 1) * GROUP)    // group 0 is the producer
#define ARRIVALS  (CONSUMERS * (GROUP / WARP)) // that empty a stage: one of each consumer's warp

// A box of A and one of B.
template <typename element> struct stage { element a[TILE][DEPTH], b[WIDTH][DEPTH]; };

template <typename element> struct shared {
    stage<element> stages[STAGES];
    barrier full[STAGES];  // a phase: both boxes of a round have arrived
    barrier empty[STAGES]; // a phase: all consumers have multiplied them
};

// The registers that each thread of a warp group may use from now on, a multiple of 8; all four
// warps call it. The block's threads have 168 each at first.
template <int registers> __device__ __forceinline__ void give_registers_back() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(registers));
}
template <int registers> __device__ __forceinline__ void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(registers));
}

// Called by one thread: starts the copies of all rounds, each as soon as its stage is empty.
template <typename element>
__device__ __forceinline__ void produce(shared<element> *s, const tensor_gemm_map *a,
                                        const tensor_gemm_map *b, int rounds) {
    // SOLUTION BEGIN
    for (int r = 0; r < rounds; r++) {
        stage<element> *to = &s->stages[r % STAGES];
        barrier *full = &s->full[r % STAGES];
        wait_for(&s->empty[r % STAGES], r / STAGES % 2 ^ 1);
        expect_bytes(full, sizeof *to);
        start_box(to->a, a, blockIdx.y * TILE, r * DEPTH, full);
        start_box(to->b, b, blockIdx.x * WIDTH, r * DEPTH, full);
    }
    // SOLUTION TODO: for each round: wait until its stage is empty. In which phase is it so for the
    // SOLUTION TODO: first STAGES rounds, before anybody has arrived? Then expect the bytes, and
    // SOLUTION TODO: start both boxes.
    // SOLUTION STUB: (void)s, (void)a, (void)b, (void)rounds;
}

// Adds the products of all rounds to sum: `row` of the tile on, all columns of the tile.
template <typename element>
__device__ __forceinline__ void consume(shared<element> *s, int rounds, int row,
                                        float (&sum)[WIDTH / 2]) {
    for (int r = 0; r < rounds; r++) {
        // SOLUTION BEGIN
        stage<element> *from = &s->stages[r % STAGES];
        wait_for(&s->full[r % STAGES], r / STAGES % 2);
        uint64_t a = name_tile(from->a[row]), b = name_tile(from->b);
        begin_products();
#pragma unroll
        for (int p = 0; p < DEPTH; p += PART)
            multiply_tiles<element, WIDTH>(sum, a + p * 2 / 16, b + p * 2 / 16);
        end_products();
        wait_products<1>(); // those of the round before are done
        __syncwarp();       // for all lanes
        if (r > 0 && threadIdx.x % WARP == 0) arrive(&s->empty[(r - 1) % STAGES]);
        // SOLUTION TODO: wait until the round's stage is full, and start its products as in step 8.
        // SOLUTION TODO: When those of the round before are done for all lanes of a warp, one of
        // SOLUTION TODO: them says that its stage is empty.
        // SOLUTION STUB: (void)s, (void)row, (void)sum;
    }
    wait_products<0>();
}

// a: [m][k] in boxes of TILE rows, b: [n][k] in boxes of WIDTH rows; d: [m][n]. Block (x, y) has
// the tile of D at row TILE y, column WIDTH x; the last one may reach beyond n.
template <typename element>
__global__ void __launch_bounds__(THREADS, 1)
    producer(const __grid_constant__ tensor_gemm_map a, const __grid_constant__ tensor_gemm_map b,
             int64_t n, int rounds, float *d) {
    extern __shared__ __align__(1024) unsigned char memory[];
    shared<element> *s = (shared<element> *)memory;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            init_barrier(&s->full[i], 1);
            init_barrier(&s->empty[i], ARRIVALS);
        }
        show_barriers();
    }
    __syncthreads(); // the barriers are there
    if (threadIdx.x < GROUP) {
        give_registers_back<40>();
        if (threadIdx.x == 0) produce(s, &a, &b, rounds);
    } else {
        take_registers<232>();
        int mine = threadIdx.x - GROUP, row = mine / GROUP * ROWS;
        float sum[WIDTH / 2] = {};
        consume(s, rounds, row, sum);
        int64_t column = blockIdx.x * (int64_t)WIDTH;
        d += (blockIdx.y * (int64_t)TILE + mine / WARP * 16) * n + column;
#pragma unroll
        for (int w = 0; w < WIDTH / 8; w++)
            if (column + w * 8 < n) store_sums(d + w * 8, n, &sum[4 * w]);
    }
}

extern "C" int tensor_gemm_step9(const tensor_gemm_task *g) {
    if (!IMPLEMENTED) return TENSOR_GEMM_NOT_IMPLEMENTED;
    return launch_boxes(producer<__half>, producer<__nv_bfloat16>, WIDTH, THREADS,
                        sizeof(shared<__half>), g);
}
