// SPDX-License-Identifier: MIT
// The kernel that `ladder tune tensor_gemm` compiles once for each configuration; tune.def says
// what each TUNE_ macro means. Built like step 11, which has what was found with it, but for
// multiples of the lab's sides only.
#include "boxes.cuh"

#define DEPTH     BOX_COLUMNS // of a tile: rows of 128 bytes
#define PART      16          // depth of a product
#define ROWS      64          // of a product
#define GROUP     128         // threads of a warp group
#define WARPS     (GROUP / WARP)
#define CONSUMERS 2
#define THREADS   ((CONSUMERS + 1) * GROUP)        // group 0 is the producer
#define HALVES    (TUNE_ALTERNATE ? CONSUMERS : 1) // times ROWS rows that a consumer multiplies
#define ARRIVALS  (TUNE_CLUSTER * (TUNE_ALTERNATE ? 1 : CONSUMERS) * WARPS) // that empty a stage
#define MINE      (TUNE_WIDTH / TUNE_CLUSTER)                               // columns of B to copy

template <typename element> struct stage { element a[TILE][DEPTH], b[TUNE_WIDTH][DEPTH]; };

typedef float strip[16][32];

template <typename element> struct shared {
    stage<element> stages[TUNE_STAGES];
    strip strips[CONSUMERS][WARPS][TUNE_STRIPS];
    barrier full[TUNE_STAGES], empty[TUNE_STAGES], handover[CONSUMERS];
};

// Tiles of this cluster's height and WIDTH columns, the rounds of each, the sides of D.
struct work {
    int rows, columns, rounds, m, n;
};

// Row and column of this block's part of a tile, in bands.
__device__ __forceinline__ void find_tile(work w, int number, int *out_row, int *out_column) {
    int band = number / (TUNE_BAND * w.columns), inside = number % (TUNE_BAND * w.columns);
    int rows = min(TUNE_BAND, w.rows - band * TUNE_BAND), rank = (int)blockIdx.x % TUNE_CLUSTER;
    *out_row = ((band * TUNE_BAND + inside % rows) * TUNE_CLUSTER + rank) * TILE;
    *out_column = inside / rows * TUNE_WIDTH;
}

template <typename element>
__device__ __forceinline__ void produce(shared<element> *s, const tensor_gemm_map *a,
                                        const tensor_gemm_map *b, work w) {
    unsigned use = 0; // rounds so far
    int row, column, mine = (int)blockIdx.x % TUNE_CLUSTER * MINE;
    for (int t = blockIdx.x / TUNE_CLUSTER; t < w.rows * w.columns; t += gridDim.x / TUNE_CLUSTER) {
        find_tile(w, t, &row, &column);
        for (int r = 0; r < w.rounds; r++, use++) {
            stage<element> *to = &s->stages[use % TUNE_STAGES];
            barrier *full = &s->full[use % TUNE_STAGES];
            wait_for(&s->empty[use % TUNE_STAGES], use / TUNE_STAGES % 2 ^ 1);
            expect_bytes(full, sizeof *to);
            start_box(to->a, a, row, r * DEPTH, full);
            if (TUNE_CLUSTER == 1)
                start_box(to->b, b, column, r * DEPTH, full);
            else
                start_shared_box(to->b[mine], b, column + mine, r * DEPTH, full,
                                 (1 << TUNE_CLUSTER) - 1);
        }
    }
}

// Products from part `first` to part `end` of a stage's depth.
template <typename element>
__device__ __forceinline__ void multiply_parts(float (&sum)[HALVES][TUNE_WIDTH / 2], uint64_t a,
                                               uint64_t b, int first, int end) {
#pragma unroll
    for (int p = first; p < end; p++)
#pragma unroll
        for (int h = 0; h < HALVES; h++)
            multiply_tiles<element, TUNE_WIDTH>(sum[h], a + h * (ROWS * DEPTH * 2 / 16) + p * 2,
                                                b + p * 2);
    end_products();
}

// One lane of a warp arrives at a stage's "empty" of each block of the cluster.
template <typename element>
__device__ __forceinline__ void empty_stage(shared<element> *s, unsigned number) {
    int lane = threadIdx.x % WARP;
    __syncwarp();
    if (TUNE_CLUSTER == 1 && lane == 0) arrive(&s->empty[number]);
    if (TUNE_CLUSTER > 1 && lane < TUNE_CLUSTER) arrive_at(&s->empty[number], lane);
}

template <typename element>
__device__ __forceinline__ void consume(shared<element> *s, int rounds, int consumer, unsigned use,
                                        float (&sum)[HALVES][TUNE_WIDTH / 2]) {
    const int parts = DEPTH / PART, middle = TUNE_MIDDLE ? parts / 2 : parts;
    unsigned now = use % TUNE_STAGES, phase = use / TUNE_STAGES % 2, before = 0;
    bool is_full = false;
    for (int r = 0; r < rounds; r++) {
        uint64_t a = name_tile(s->stages[now].a[TUNE_ALTERNATE ? 0 : consumer * ROWS]);
        uint64_t b = name_tile(s->stages[now].b);
        if (!is_full) wait_for(&s->full[now], phase);
        begin_products();
        multiply_parts<element>(sum, a, b, 0, middle);
        wait_products<1>(); // those of the round before are done
        if (r > 0) empty_stage(s, before);
        before = now;
        if (++now == TUNE_STAGES) now = 0, phase ^= 1;
        is_full = TUNE_MIDDLE && r + 1 < rounds && has_ended(&s->full[now], phase);
        if (TUNE_MIDDLE) multiply_parts<element>(sum, a, b, middle, parts);
    }
    if (TUNE_ALTERNATE && threadIdx.x % WARP == 0) arrive(&s->handover[consumer ^ 1]);
    wait_products<0>();
    if (rounds > 0) empty_stage(s, before);
}

// As in step 11.
__device__ __forceinline__ void fill_strip(strip &to, int first,
                                           const float (&sum)[TUNE_WIDTH / 2]) {
    int lane = threadIdx.x % WARP, row = lane / 4;
    bool odd = row % 2;
#pragma unroll
    for (int w = 0; w < 4; w++) {
        const int e = (first + w) * 4, f = (first + (w ^ 2)) * 4;
        int chunk = ((odd ? w ^ 2 : w) * 2 + lane % 4 / 2) ^ row % 8, at = chunk * 4 + lane % 2 * 2;
        *(float2 *)&to[row][at] = make_float2(odd ? sum[f] : sum[e], odd ? sum[f + 1] : sum[e + 1]);
        *(float2 *)&to[row + 8][at] =
            make_float2(odd ? sum[f + 2] : sum[e + 2], odd ? sum[f + 3] : sum[e + 3]);
    }
}

__device__ __forceinline__ void store_boxes(strip (&strips)[TUNE_STRIPS], const tensor_gemm_map *d,
                                            work w, int row, int column,
                                            const float (&sum)[TUNE_WIDTH / 2]) {
    bool stores = threadIdx.x % WARP == 0; // this thread
    row += threadIdx.x / WARP % WARPS * 16;
#pragma unroll
    for (int i = 0; i < TUNE_WIDTH / 32; i++) {
        bool exists = row < w.m && column + i * 32 < w.n;
        if (stores) wait_until_read<TUNE_STRIPS - 1>();
        __syncwarp();
        fill_strip(strips[i % TUNE_STRIPS], i * 4, sum);
        before_bulk_store();
        __syncwarp();
        if (stores && exists) start_store(d, row, column + i * 32, strips[i % TUNE_STRIPS]);
        if (stores) end_stores();
    }
}

template <typename element>
__device__ __forceinline__ void do_tiles(shared<element> *s, const tensor_gemm_map *d, work w,
                                         int consumer) {
    int row, column, i = 0;
    unsigned use = 0; // rounds so far
    for (int t = blockIdx.x / TUNE_CLUSTER; t < w.rows * w.columns;
         t += gridDim.x / TUNE_CLUSTER, i++, use += w.rounds) {
        if (TUNE_ALTERNATE && i % CONSUMERS != consumer) continue;
        float sum[HALVES][TUNE_WIDTH / 2] = {};
        find_tile(w, t, &row, &column);
        if (TUNE_ALTERNATE && i > 0) wait_for(&s->handover[consumer], (i - 1) / CONSUMERS % 2);
        consume(s, w.rounds, consumer, use, sum);
#pragma unroll
        for (int h = 0; h < HALVES; h++)
            store_boxes(s->strips[consumer][threadIdx.x / WARP % WARPS], d, w,
                        row + (TUNE_ALTERNATE ? h : consumer) * ROWS, column, sum[h]);
    }
    if (threadIdx.x % WARP == 0) wait_until_read<0>();
}

template <typename element>
__global__ void __cluster_dims__(TUNE_CLUSTER) __launch_bounds__(THREADS, 1)
    tuned(const __grid_constant__ tensor_gemm_map a, const __grid_constant__ tensor_gemm_map b,
          const __grid_constant__ tensor_gemm_map d, work w) {
    extern __shared__ __align__(1024) unsigned char memory[];
    shared<element> *s = (shared<element> *)memory;
    int group = group_of_thread();
    if (threadIdx.x == 0) {
        for (int i = 0; i < TUNE_STAGES; i++) {
            init_barrier(&s->full[i], 1);
            init_barrier(&s->empty[i], ARRIVALS);
        }
        for (int i = 0; i < CONSUMERS; i++) init_barrier(&s->handover[i], WARPS);
        show_barriers();
    }
    sync_cluster(); // the barriers are there
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) produce(s, &a, &b, w);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        do_tiles(s, &d, w, group - 1);
    }
    sync_cluster(); // nobody leaves while the other block may still write to it
}

template <typename element> static int product(const tensor_gemm_task *g) {
    tensor_gemm_map a = {}, b = {}, d = {};
    int processors = 0, code = cudaSuccess;
    const tensor_gemm_boxes results = {g->d_d, g->m, g->n, 16, (int)sizeof(float)};
    if (g->k > 0) code = describe_factors(g, TILE, MINE, &a, &b);
    if (code == cudaSuccess) code = g->describe(&results, &d);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    if (code == cudaSuccess)
        code = cudaFuncSetAttribute(tuned<element>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)sizeof(shared<element>));
    if (code != cudaSuccess) return code;
    const int high = TUNE_CLUSTER * TILE;
    work w = {(int)((g->m + high - 1) / high), (int)((g->n + TUNE_WIDTH - 1) / TUNE_WIDTH),
              (int)(g->k / DEPTH), (int)g->m, (int)g->n};
    int tiles = w.rows * w.columns, most = processors / TUNE_CLUSTER;
    unsigned blocks = (unsigned)((tiles < most ? tiles : most) * TUNE_CLUSTER);
    tuned<element><<<blocks, THREADS, sizeof(shared<element>)>>>(a, b, d, w);
    return cudaGetLastError();
}

extern "C" int tensor_gemm_tuned(const tensor_gemm_task *g) {
    int code;
    if (!is_task(g, &code)) return code;
    return g->type == TENSOR_GEMM_HALF ? product<__half>(g) : product<__nv_bfloat16>(g);
}
