// SPDX-License-Identifier: MIT
// Lab 13, step 10: blocks that stay, in clusters of two. The two blocks of a cluster compute tiles
// one below the other, with the same columns of B: each copies half of them, for both. A block goes
// from tile to tile, in an order in which neighbours find their boxes in the L2; its sums leave by
// shared memory and bulk stores while the producer loads the next tile, and the other consumer
// multiplies.
//
// What it fixes: tensor cores work while sums are stored; a third less is read from the L2; no
// block starts in the middle.
// Why it is slow: small matrices have too few such tiles, and the last round of tiles leaves SMs
// without work.
#include "boxes.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define CLUSTER   2           // blocks that share their columns of B
#define WIDTH     256         // columns of D that a block computes at a time
#define DEPTH     BOX_COLUMNS // of a tile: rows of 128 bytes
#define STAGES    4           // tiles of A and of B in shared memory: 192 KiB
#define PART      16          // depth of a product
#define ROWS      64          // of D that a consumer computes, with all columns of the tile
#define GROUP     128         // threads of a warp group
#define CONSUMERS (TILE / ROWS)
#define THREADS   ((CONSUMERS + 1) * GROUP)              // group 0 is the producer
#define ARRIVALS  (CLUSTER * CONSUMERS * (GROUP / WARP)) // that empty a stage, of both blocks
#define STRIP     32                                     // columns of sums that leave at once
#define BAND      8 // rows of clusters whose tiles follow each other, column by column

// A box of A and one of B.
template <typename element> struct stage { element a[TILE][DEPTH], b[WIDTH][DEPTH]; };

template <typename element> struct shared {
    stage<element> stages[STAGES];
    float strips[CONSUMERS][2][ROWS][STRIP]; // on their way to D, swizzled as boxes are
    barrier full[STAGES];                    // a phase: the boxes of a round have arrived
    barrier empty[STAGES];                   // a phase: all consumers of both blocks are done
};

// What has to be done: tiles of CLUSTER * TILE rows and WIDTH columns, the rounds of each, and the
// sides of D, beyond which the last tiles may reach.
struct work {
    int rows, columns, rounds, m, n;
};

template <int registers> __device__ __forceinline__ void give_registers_back() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(registers));
}
template <int registers> __device__ __forceinline__ void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(registers));
}

// Where tile `number` lies: the first row and column of D of this block's part. Tiles are counted
// down the BAND rows of a band, then in the next column: those at work at one time form about a
// square, so that they share as many rows of A and columns of B as they can.
__device__ __forceinline__ void find_tile(work w, int number, int *out_row, int *out_column) {
    int band = number / (BAND * w.columns), inside = number % (BAND * w.columns);
    int rows = min(BAND, w.rows - band * BAND); // the last band may be lower
    *out_row = ((band * BAND + inside % rows) * CLUSTER + rank_in_cluster()) * TILE;
    *out_column = inside / rows * WIDTH;
}

// Called by one thread: starts the copies of all rounds of all tiles of this cluster.
template <typename element>
__device__ __forceinline__ void produce(shared<element> *s, const tensor_gemm_map *a,
                                        const tensor_gemm_map *b, work w) {
    int rank = rank_in_cluster(), row, column;
    unsigned use = 0; // rounds so far
    for (int t = blockIdx.x / CLUSTER; t < w.rows * w.columns; t += gridDim.x / CLUSTER) {
        find_tile(w, t, &row, &column);
        for (int r = 0; r < w.rounds; r++, use++) {
            // SOLUTION BEGIN
            const unsigned both = (1 << CLUSTER) - 1;
            int mine = rank * (WIDTH / CLUSTER);
            stage<element> *to = &s->stages[use % STAGES];
            barrier *full = &s->full[use % STAGES];
            wait_for(&s->empty[use % STAGES], use / STAGES % 2 ^ 1);
            expect_bytes(full, sizeof *to);
            start_box(to->a, a, row, r * DEPTH, full);
            start_shared_box(to->b[mine], b, column + mine, r * DEPTH, full, both);
            // SOLUTION TODO: as in step 9, with `use` for the number of the round. The bytes of all
            // SOLUTION TODO: of B's tile arrive here, but this block starts only its half of them,
            // SOLUTION TODO: for both blocks: columns rank * WIDTH / CLUSTER and on of the tile.
            // SOLUTION STUB: (void)s, (void)a, (void)b, (void)rank;
        }
    }
}

// Adds the products of all rounds of a tile to sum, and tells both producers of empty stages.
template <typename element>
__device__ __forceinline__ void consume(shared<element> *s, int rounds, int row, unsigned *use,
                                        float (&sum)[WIDTH / 2]) {
    int lane = threadIdx.x % WARP;
    for (int r = 0; r < rounds; r++, ++*use) {
        // SOLUTION BEGIN
        stage<element> *from = &s->stages[*use % STAGES];
        wait_for(&s->full[*use % STAGES], *use / STAGES % 2);
        uint64_t a = name_tile(from->a[row]), b = name_tile(from->b);
        begin_products();
#pragma unroll
        for (int p = 0; p < DEPTH; p += PART)
            multiply_tiles<element, WIDTH>(sum, a + p * 2 / 16, b + p * 2 / 16);
        end_products();
        wait_products<1>(); // those of the round before are done
        __syncwarp();
        if (r > 0 && lane < CLUSTER) arrive_at(&s->empty[(*use - 1) % STAGES], lane);
        // SOLUTION TODO: as in step 9; a stage is empty for the producer of either block only when
        // SOLUTION TODO: the consumers of both have done with it, so lane i arrives in block i.
        // SOLUTION STUB: (void)s, (void)row, (void)sum, (void)lane;
    }
    wait_products<0>();
    __syncwarp();
    if (rounds > 0 && lane < CLUSTER) arrive_at(&s->empty[(*use - 1) % STAGES], lane);
}

// The 128 threads of this warp group.
__device__ __forceinline__ void sync_group() {
    asm volatile("bar.sync %0, %1;" : : "r"(threadIdx.x / GROUP), "n"(GROUP) : "memory");
}

// Puts STRIP columns of sums, from the 8 i-th on, where a box has them. A pair of sums lies in
// chunk 2 w + lane % 4 / 2. Lanes of odd rows store their pairs in another order, w ^ 2 for w: in
// one order rows 0 and 1 would meet, whose chunks the swizzle only exchanges.
__device__ __forceinline__ void fill_strip(float (&strip)[ROWS][STRIP], int first,
                                           const float (&sum)[WIDTH / 2]) {
    int lane = threadIdx.x % WARP, row = threadIdx.x / WARP % 4 * 16 + lane / 4;
    bool odd = row % 2;
#pragma unroll
    for (int w = 0; w < STRIP / 8; w++) {
        const int e = (first + w) * 4, f = (first + (w ^ 2)) * 4;
        int chunk = ((odd ? w ^ 2 : w) * 2 + lane % 4 / 2) ^ row % 8, at = chunk * 4 + lane % 2 * 2;
        *(float2 *)&strip[row][at] =
            make_float2(odd ? sum[f] : sum[e], odd ? sum[f + 1] : sum[e + 1]);
        *(float2 *)&strip[row + 8][at] =
            make_float2(odd ? sum[f + 2] : sum[e + 2], odd ? sum[f + 3] : sum[e + 3]);
    }
}

// Stores ROWS x WIDTH sums at that row and column of D, as far as it reaches, strip by strip: while
// one leaves, the other is filled.
__device__ __forceinline__ void store_tile(float (&strips)[2][ROWS][STRIP],
                                           const tensor_gemm_map *d, work w, int row, int column,
                                           const float (&sum)[WIDTH / 2]) {
    bool stores = threadIdx.x % GROUP == 0; // this thread
#pragma unroll
    for (int i = 0; i < WIDTH / STRIP; i++) {
        bool exists = row < w.m && column + i * STRIP < w.n;
        // SOLUTION BEGIN
        if (stores) wait_until_read<1>(); // the strip of two iterations ago
        sync_group();
        fill_strip(strips[i % 2], i * (STRIP / 8), sum);
        before_bulk_store();
        sync_group();
        if (stores && exists) start_store(d, row, column + i * STRIP, strips[i % 2]);
        if (stores) end_stores();
        // SOLUTION TODO: one thread waits until at most one strip has not been read; the group
        // SOLUTION TODO: meets; all fill strip i % 2 and show it to the hardware that copies; the
        // SOLUTION TODO: group meets again, and that thread starts the store, if the strip exists
        // SOLUTION TODO: in D, as a set of its own.
        // SOLUTION STUB: (void)strips, (void)d, (void)sum, (void)stores, (void)exists;
    }
}

// a: [m][k] in boxes of TILE rows, b: [n][k] in boxes of WIDTH / CLUSTER rows, d: [m][n] in boxes
// of ROWS rows.
template <typename element>
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS, 1)
    clusters(const __grid_constant__ tensor_gemm_map a, const __grid_constant__ tensor_gemm_map b,
             const __grid_constant__ tensor_gemm_map d, work w) {
    extern __shared__ __align__(1024) unsigned char memory[];
    shared<element> *s = (shared<element> *)memory;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            init_barrier(&s->full[i], 1);
            init_barrier(&s->empty[i], ARRIVALS);
        }
        show_barriers();
    }
    sync_cluster(); // the barriers of both blocks are there
    if (threadIdx.x < GROUP) {
        give_registers_back<40>();
        if (threadIdx.x == 0) produce(s, &a, &b, w);
    } else {
        take_registers<232>();
        int consumer = threadIdx.x / GROUP - 1, row, column;
        unsigned use = 0;
        for (int t = blockIdx.x / CLUSTER; t < w.rows * w.columns; t += gridDim.x / CLUSTER) {
            float sum[WIDTH / 2] = {};
            find_tile(w, t, &row, &column);
            consume(s, w.rounds, consumer * ROWS, &use, sum);
            store_tile(s->strips[consumer], &d, w, row + consumer * ROWS, column, sum);
        }
        if (threadIdx.x % GROUP == 0) wait_until_read<0>();
    }
    sync_cluster(); // nobody leaves while the other block may still write to it
}

template <typename element> static int product(const tensor_gemm_task *g) {
    tensor_gemm_map a = {}, b = {}, d = {};
    int processors = 0, code = cudaSuccess;
    const tensor_gemm_boxes results = {g->d_d, g->m, g->n, ROWS, (int)sizeof(float)};
    if (g->k > 0) code = describe_factors(g, TILE, WIDTH / CLUSTER, &a, &b);
    if (code == cudaSuccess) code = g->describe(&results, &d);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    if (code == cudaSuccess)
        code = cudaFuncSetAttribute(clusters<element>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)sizeof(shared<element>));
    if (code != cudaSuccess) return code;
    const int high = CLUSTER * TILE;
    work w = {(int)((g->m + high - 1) / high), (int)((g->n + WIDTH - 1) / WIDTH),
              (int)(g->k / DEPTH), (int)g->m, (int)g->n};
    int tiles = w.rows * w.columns, most = processors / CLUSTER;
    unsigned blocks = (unsigned)((tiles < most ? tiles : most) * CLUSTER);
    clusters<element><<<blocks, THREADS, sizeof(shared<element>)>>>(a, b, d, w);
    return cudaGetLastError();
}

extern "C" int tensor_gemm_step10(const tensor_gemm_task *g) {
    int code;
    if (!IMPLEMENTED) return TENSOR_GEMM_NOT_IMPLEMENTED;
    if (!is_task(g, &code)) return code;
    return g->type == TENSOR_GEMM_HALF ? product<__half>(g) : product<__nv_bfloat16>(g);
}
