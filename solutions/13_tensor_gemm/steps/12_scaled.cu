// SPDX-License-Identifier: MIT
// Lab 13, step 12: floats of 8 bits, with scales. Products of warp groups take twice as many of
// them at a time, but their sums keep only 14 bits. So a sum has SCALED products at most; then it
// is multiplied by the scales of its row of A and of its column of B, and added to a total in
// float. Two rounds are multiplied at a time: while the first sums are added to the totals, the
// tensor cores form the second.
//
// What it fixes: elements of half the bytes are multiplied at twice the rate.
// What is left: the lanes add while tensor cores wait; and elements of 4 significant bits.
#include "boxes.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define SCALED     TENSOR_GEMM_SCALED // of the depth have one scale: a round, rows of 128 bytes
#define WIDTH      SCALED             // columns of D that a block computes at a time
#define STAGES     5                  // tiles of A and of B in shared memory: 160 KiB
#define PART       32                 // depth of a product
#define ROWS       64                 // of D that a consumer computes, with all columns of the tile
#define SUMS       (WIDTH / 2)        // of a thread
#define GROUP      128                // threads of a warp group
#define CONSUMERS  (TILE / ROWS)
#define THREADS    ((CONSUMERS + 1) * GROUP)    // group 0 is the producer
#define WARPS      (CONSUMERS * (GROUP / WARP)) // of consumers: so many arrivals empty a stage
#define STRIP_ROWS 16                           // of D that a warp computes
#define STRIP      64                           // columns of results that leave at once
#define STRIPS     (WIDTH / STRIP)
#define FOUR       4 // rounds whose scales of B are copied at once: a copy has 16 bytes at least
#define BAND       8 // rows of tiles that follow each other, column by column

// A box of A and one of B.
struct stage {
    unsigned char a[TILE][SCALED], b[WIDTH][SCALED];
};

struct shared {
    stage stages[STAGES];
    __nv_bfloat16 strips[WARPS][STRIPS][STRIP_ROWS][STRIP]; // on their way to D, swizzled
    float a_scales[STAGES][TILE], b_scales[STAGES][FOUR];
    barrier full[STAGES];  // a phase: boxes and scales of a round have arrived
    barrier empty[STAGES]; // a phase: both consumers have multiplied them
};

// What has to be done: tiles of TILE rows and WIDTH columns, of so many rounds. The last tiles may
// reach beyond the sides of D. Scales as in the task; pitch: of those of B.
struct work {
    int rows, columns, rounds, m, n, pitch;
    const float *a_scales, *b_scales;
};

template <int registers> __device__ __forceinline__ void give_registers_back() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(registers));
}
template <int registers> __device__ __forceinline__ void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(registers));
}

// The first row and column of a tile, in bands as in step 10.
__device__ __forceinline__ int2 place_of(work w, int tile) {
    int band = tile / (BAND * w.columns), inside = tile % (BAND * w.columns);
    int rows = min(BAND, w.rows - band * BAND); // the last band may be lower
    return make_int2((band * BAND + inside % rows) * TILE, inside / rows * WIDTH);
}

// Called by one thread: starts the copies of all rounds of all tiles of this block. Rounds are an
// even number: after the last one there may be one whose boxes lie behind the matrices, all zeros.
__device__ __forceinline__ void produce(shared *s, const tensor_gemm_map *a,
                                        const tensor_gemm_map *b, work w) {
    unsigned use = 0; // rounds so far
    for (int t = blockIdx.x; t < w.rows * w.columns; t += gridDim.x) {
        int2 at = place_of(w, t);
        int a_bytes = min(TILE, w.m - at.x) * (int)sizeof(float), b_bytes = sizeof s->b_scales[0];
        for (int r = 0; r < w.rounds + w.rounds % 2; r++, use++) {
            unsigned now = use % STAGES;
            stage *to = &s->stages[now];
            barrier *full = &s->full[now];
            int scaled = min(r, w.rounds - 1);
            const float *of_a = w.a_scales + (int64_t)scaled * w.m + at.x;
            const float *of_b = w.b_scales + at.y / SCALED * w.pitch + scaled / FOUR * FOUR;
            wait_for(&s->empty[now], use / STAGES % 2 ^ 1);
            // SOLUTION BEGIN
            expect_bytes(full, sizeof *to + a_bytes + b_bytes);
            start_box(to->a, a, at.x, r * SCALED, full);
            start_box(to->b, b, at.y, r * SCALED, full);
            start_copy(s->a_scales[now], of_a, a_bytes, full);
            start_copy(s->b_scales[now], of_b, b_bytes, full);
            // SOLUTION TODO: both boxes as in step 9, and in the same phase a_bytes of scales from
            // SOLUTION TODO: of_a and b_bytes from of_b.
            // SOLUTION STUB: (void)a, (void)b, (void)to, (void)full, (void)of_a, (void)of_b;
            // SOLUTION STUB: (void)a_bytes, (void)b_bytes;
        }
    }
}

// What a thread needs of a round: the names of its tiles, and the scales of its sums, in row
// lane / 4 of its warp's rows and in that eight below.
struct factors {
    uint64_t a, b;
    float upper, lower;
};

// Waits until a round is there. row: this thread's first one, of the tile.
__device__ __forceinline__ factors wait_for_round(shared *s, unsigned use, int r, int consumer,
                                                  int row) {
    unsigned now = use % STAGES;
    wait_for(&s->full[now], use / STAGES % 2);
    float of_b = s->b_scales[now][r % FOUR];
    return {name_tile(s->stages[now].a[consumer * ROWS]), name_tile(s->stages[now].b),
            s->a_scales[now][row] * of_b, s->a_scales[now][row + 8] * of_b};
}

// sum is to become the products of a round, a set of their own.
__device__ __forceinline__ void start_products(float (&sum)[SUMS], const factors &f) {
#pragma unroll
    for (int p = 0; p < SCALED; p += PART) multiply_bytes(sum, f.a + p / 16, f.b + p / 16, p > 0);
    end_products();
}

// Adds sums to totals, each times its scale.
__device__ __forceinline__ void promote(const float (&sum)[SUMS], const factors &f,
                                        float (&total)[SUMS]) {
    // SOLUTION BEGIN
#pragma unroll
    for (int e = 0; e < SUMS; e++) total[e] += sum[e] * (e % 4 < 2 ? f.upper : f.lower);
    // SOLUTION TODO: which of four neighbours lie in which row? (multiply in tensor_gemm.cuh)
    // SOLUTION STUB: (void)sum, (void)f, (void)total;
}

// Adds the products of all rounds of a tile to total; use: rounds of this block before them.
__device__ __forceinline__ void consume(shared *s, int rounds, int consumer, int row, unsigned use,
                                        float (&total)[SUMS]) {
    bool arrives = threadIdx.x % WARP == 0;
    for (int r = 0; r < rounds; r += 2, use += 2) {
        float even[SUMS], odd[SUMS];
        const factors first = wait_for_round(s, use, r, consumer, row);
        const factors second = wait_for_round(s, use + 1, r + 1, consumer, row);
        begin_products();
        start_products(even, first);
        start_products(odd, second);
        // SOLUTION BEGIN
        wait_products<1>();
        after_products(even);
        if (arrives) arrive(&s->empty[use % STAGES]);
        promote(even, first, total);
        wait_products<0>();
        after_products(odd);
        if (arrives) arrive(&s->empty[(use + 1) % STAGES]);
        if (r + 1 < rounds) promote(odd, second, total);
        // SOLUTION TODO: when the first set is done, this warp arrives at "empty" of its stage, and
        // SOLUTION TODO: the sums are added to total. Then the same of the second: its stage is
        // SOLUTION TODO: empty in any case, its sums are added if there is such a round.
        // SOLUTION TODO: after_products tells the compiler that sums are there.
        // SOLUTION STUB: (void)arrives, (void)total;
        // SOLUTION STUB: wait_products<0>();
    }
}

// Puts STRIP columns of totals, from column 8 first on, where a box has them: a pair lies in chunk
// w, all lanes of a row in the same one.
__device__ __forceinline__ void fill_strip(__nv_bfloat16 (&strip)[STRIP_ROWS][STRIP], int first,
                                           const float (&total)[SUMS]) {
    int lane = threadIdx.x % WARP, row = lane / 4;
#pragma unroll
    for (int w = 0; w < STRIP / 8; w++) {
        const int e = (first + w) * 4, at = (w ^ row % 8) * EACH + lane % 4 * 2;
        *(unsigned *)&strip[row][at] = pair_of<__nv_bfloat16>(total[e], total[e + 1]);
        *(unsigned *)&strip[row + 8][at] = pair_of<__nv_bfloat16>(total[e + 2], total[e + 3]);
    }
}

// Stores a warp's rows of the tile, as far as D reaches.
__device__ __forceinline__ void store_tile(__nv_bfloat16 (&strips)[STRIPS][STRIP_ROWS][STRIP],
                                           const tensor_gemm_map *d, work w, int row, int column,
                                           const float (&total)[SUMS]) {
    bool stores = threadIdx.x % WARP == 0; // this lane
    if (stores) wait_until_read<0>();      // the strips of the tile before
    __syncwarp();
#pragma unroll
    for (int i = 0; i < STRIPS; i++) fill_strip(strips[i], i * STRIP / 8, total);
    before_bulk_store();
    __syncwarp();
    for (int i = 0; i < STRIPS && stores && row < w.m; i++)
        if (column + i * STRIP < w.n) start_store(d, row, column + i * STRIP, strips[i]);
    if (stores) end_stores();
}

// a: [m][k] in boxes of TILE rows, b: [n][k] in boxes of WIDTH rows, d: [m][n] in boxes of
// STRIP_ROWS rows.
__global__ void __launch_bounds__(THREADS, 1)
    scaled(const __grid_constant__ tensor_gemm_map a, const __grid_constant__ tensor_gemm_map b,
           const __grid_constant__ tensor_gemm_map d, work w) {
    extern __shared__ __align__(1024) unsigned char memory[];
    shared *s = (shared *)memory;
    int group = group_of_thread();
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            init_barrier(&s->full[i], 1);
            init_barrier(&s->empty[i], WARPS);
        }
        show_barriers();
    }
    __syncthreads(); // the barriers are there
    if (group == 0) {
        give_registers_back<24>();
        if (threadIdx.x == 0) produce(s, &a, &b, w);
    } else {
        take_registers<240>();
        int warp = threadIdx.x / WARP - GROUP / WARP, row = warp * STRIP_ROWS; // of the tile
        int lane = threadIdx.x % WARP;
        unsigned use = 0; // rounds so far
        for (int t = blockIdx.x; t < w.rows * w.columns; t += gridDim.x) {
            int2 at = place_of(w, t);
            float total[SUMS] = {};
            consume(s, w.rounds, group - 1, row + lane / 4, use, total);
            use += w.rounds + w.rounds % 2;
            store_tile(s->strips[warp], &d, w, at.x + row, at.y, total);
        }
        if (lane == 0) wait_until_read<0>();
    }
}

static int divide_up(int64_t a, int64_t b) {
    return (int)((a + b - 1) / b);
}

extern "C" int tensor_gemm_step12(const tensor_gemm_task *g) {
    tensor_gemm_map maps[3] = {};
    int processors = 0, code = cudaSuccess;
    if (!IMPLEMENTED) return TENSOR_GEMM_NOT_IMPLEMENTED;
    if (g->m < 0 || g->n < 0 || g->k < 0 || (g->m | g->n | g->k) % TENSOR_GEMM_UNIT != 0 ||
        g->type != TENSOR_GEMM_E4M3)
        return cudaErrorInvalidValue;
    if (g->m == 0 || g->n == 0) return cudaSuccess;
    const tensor_gemm_boxes boxes[] = {{g->d_a, g->m, g->k, TILE, 1},
                                       {g->d_b, g->n, g->k, WIDTH, 1},
                                       {g->d_d, g->m, g->n, STRIP_ROWS, sizeof(__nv_bfloat16)}};
    for (int i = g->k > 0 ? 0 : 2; i < 3 && code == cudaSuccess; i++)
        code = g->describe(&boxes[i], &maps[i]);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    if (code == cudaSuccess)
        code = cudaFuncSetAttribute(scaled, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)sizeof(shared));
    if (code != cudaSuccess) return code;
    const int rounds = divide_up(g->k, SCALED), tiles_down = divide_up(g->m, TILE),
              tiles_across = divide_up(g->n, WIDTH), tiles = tiles_down * tiles_across,
              pitch = divide_up(rounds, TENSOR_GEMM_PITCH) * TENSOR_GEMM_PITCH;
    const work w = {tiles_down, tiles_across, rounds,        (int)g->m,
                    (int)g->n,  pitch,        g->d_a_scales, g->d_b_scales};
    const int blocks = tiles < processors ? tiles : processors;
    scaled<<<blocks, THREADS, sizeof(shared)>>>(maps[0], maps[1], maps[2], w);
    return cudaGetLastError();
}
