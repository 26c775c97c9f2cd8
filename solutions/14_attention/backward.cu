// SPDX-License-Identifier: MIT
// The backward pass of attention with products of warp groups: see backward.h. Two launches of one
// kernel, so that each sum belongs to one warp group and no atomics are needed: blocks of keys meet
// all queries and give dK and dV, blocks of queries meet all keys and give dQ. Scores are computed
// twice for that: seven products instead of five. Each block has a producer and two consumers, as
// the lab's step 7.
#include "backward.h"
#include "boxes.cuh"

#define CONSUMERS 2
#define OWN       (CONSUMERS * GROUP_ROWS) // rows of a block: keys or queries
#define THREADS   ((CONSUMERS + 1) * GROUP)
#define ARRIVALS  (CONSUMERS * (GROUP / WARP)) // that empty a stage
#define PART      16                           // depth of a product
#define WARPS     4                            // per block, where a warp has a row

MULTIPLY_TILES(64, "%32", "%33", "%34")

// "Own" rows are those of the block, "others" are those that they meet: with keys of their own K
// and V, others Q and dO; with queries Q and dO, others K and V.
struct operands {
    __half *out1, *out2;       // [heads][own_rows][width]: dK and dV, or dQ and none
    const float *logs, *row_d; // [heads][queries]
    int own_rows, other_rows;
    bool causal;
    int shift; // keys - queries
};

// What fits in registers and shared memory.
template <int width, bool keys> struct plan {
    static constexpr int others = keys && width == 128 ? 64 : 128; // rows that are met at once
    static constexpr int stages = width == 64 ? 3 : keys ? 4 : 2;
    static constexpr bool alternate = width == 128; // of the consumers; with 64 it does not pay
};

// A tile of both operands of the others.
template <int width, bool keys> struct stage {
    tile<width, plan<width, keys>::others> tile1, tile2;
};

template <int width, bool keys> struct shared {
    tile<width, GROUP_ROWS> own1[CONSUMERS], own2[CONSUMERS];
    stage<width, keys> stages[plan<width, keys>::stages];
    // Of the queries of a stage: logarithms in base 2 and D.
    float logs[plan<width, keys>::stages][plan<width, keys>::others];
    float row_d[plan<width, keys>::stages][plan<width, keys>::others];
    barrier own_full, full[plan<width, keys>::stages], empty[plan<width, keys>::stages];
};

// Tiles of the others that own rows [first, first + OWN) meet.
struct range {
    int from, to;
};

template <int others, bool keys> __device__ range meets(const operands &o, int first) {
    range r = {0, (o.other_rows + others - 1) / others};
    if (!o.causal) return r;
    if (keys) {
        r.from = max(0, first - o.shift) / others;
    } else {
        const int last = min(first + OWN, o.own_rows) - 1;
        r.to = (min(max(last + o.shift + 1, 0), o.other_rows) + others - 1) / others;
    }
    return r;
}

// Whether query and key of these two rows see each other.
template <bool keys> __device__ __forceinline__ bool sees(const operands &o, int own, int other) {
    const int i = keys ? other : own, j = keys ? own : other;
    return own < o.own_rows && other < o.other_rows && (!o.causal || j <= i + o.shift);
}

// ---- the producer: one thread copies tiles, one warp numbers of queries ----

template <int width, bool keys>
__device__ void produce(shared<width, keys> *s, const attention_map *own1,
                        const attention_map *own2, const attention_map *others1,
                        const attention_map *others2, int head, int first, range r) {
    typedef plan<width, keys> plan;
    expect_bytes(&s->own_full, sizeof s->own1 + sizeof s->own2);
    for (int c = 0; c < CONSUMERS; c++) {
        start_tile(&s->own1[c], own1, head, first + c * GROUP_ROWS, &s->own_full);
        start_tile(&s->own2[c], own2, head, first + c * GROUP_ROWS, &s->own_full);
    }
    for (int n = r.from; n < r.to; n++) {
        const int at = (n - r.from) % plan::stages;
        wait_for(&s->empty[at], (unsigned)((n - r.from) / plan::stages % 2 ^ 1));
        expect_bytes(&s->full[at], sizeof s->stages[at]);
        start_tile(&s->stages[at].tile1, others1, head, n * plan::others, &s->full[at]);
        start_tile(&s->stages[at].tile2, others2, head, n * plan::others, &s->full[at]);
    }
}

// By the lanes of a warp.
template <int width>
__device__ void produce_numbers(shared<width, true> *s, const operands &o, const float *logs,
                                const float *row_d, range r) {
    typedef plan<width, true> plan;
    for (int n = r.from; n < r.to; n++) {
        const int at = (n - r.from) % plan::stages;
        wait_for(&s->empty[at], (unsigned)((n - r.from) / plan::stages % 2 ^ 1));
        for (int i = threadIdx.x % WARP; i < plan::others; i += WARP) {
            const int query = n * plan::others + i;
            s->logs[at][i] = query < o.other_rows ? LOG2_E * logs[query] : 0.0f;
            s->row_d[at][i] = query < o.other_rows ? row_d[query] : 0.0f;
        }
        arrive_once_per_warp(&s->full[at]);
    }
}

// ---- consumers ----

// x = own others^T, as a set of its own.
template <int width, int others>
__device__ __forceinline__ void start_scores(float (&x)[others / 2],
                                             const tile<width, GROUP_ROWS> *own,
                                             const tile<width, others> *other) {
    begin_products();
#pragma unroll
    for (int p = 0; p < width / PART; p++) {
        const int box = p * PART / BOX_COLUMNS, inside = p * PART % BOX_COLUMNS;
        multiply_tiles<others>(x, name_rows(own->box[box]) + inside * 2 / 16,
                               name_rows(other->box[box]) + inside * 2 / 16, p > 0);
    }
    end_products();
}

// sum += x others
template <int width, int others>
__device__ __forceinline__ void start_sums(float (&sum)[width / 2], const unsigned (&x)[others / 4],
                                           const tile<width, others> *other) {
#pragma unroll
    for (int p = 0; p < others / PART; p++)
        multiply_words<width>(sum, &x[4 * p], name_depth_rows(other) + p * PART * 128 / 16, true);
}

// Element 4 i + 2 h + e of scores: row row_of_thread() + 8 h, column 8 i + 2 (lane % 4) + e. Logs
// and D belong to columns where the others are queries, else to the two rows.
template <bool keys, int others>
__device__ __forceinline__ void to_probabilities(float (&x)[others / 2], const operands &o,
                                                 float scale, bool all, int own, int other,
                                                 const float *logs) {
    const int column = threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < others / 8; i++)
#pragma unroll
        for (int h = 0; h < 2; h++)
#pragma unroll
            for (int e = 0; e < 2; e++) {
                float *s = &x[4 * i + 2 * h + e];
                *s = exp2_fast(fmaf(*s, scale, -logs[keys ? 8 * i + column + e : h]));
                if (!all && !sees<keys>(o, own + 8 * h, other + 8 * i + column + e)) *s = 0.0f;
            }
}

// dS = P (dP - D), in dp.
template <bool keys, int others>
__device__ __forceinline__ void to_derivatives(float (&dp)[others / 2],
                                               const float (&p)[others / 2], const float *row_d) {
    const int column = threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < others / 8; i++)
#pragma unroll
        for (int h = 0; h < 2; h++)
#pragma unroll
            for (int e = 0; e < 2; e++) {
                const int at = 4 * i + 2 * h + e;
                dp[at] = p[at] * (dp[at] - row_d[keys ? 8 * i + column + e : h]);
            }
}

// dK and dV, or dQ alone.
template <int width, bool keys> struct sums { float one[width / 2], two[keys ? width / 2 : 1]; };

// All sums of a tile, as one set.
template <int width, bool keys>
__device__ __forceinline__ void
start_tile_sums(const shared<width, keys> *s, int at, unsigned (&p)[plan<width, keys>::others / 4],
                unsigned (&ds)[plan<width, keys>::others / 4], sums<width, keys> &sum) {
    constexpr int others = plan<width, keys>::others;
    hold(ds);
    hold(sum.one);
    if constexpr (keys) hold(p);
    if constexpr (keys) hold(sum.two);
    begin_products();
    start_sums<width, others>(sum.one, ds, &s->stages[at].tile1);
    if constexpr (keys) start_sums<width, others>(sum.two, p, &s->stages[at].tile2);
    end_products();
}

// A consumer starts products when the other one has: the first to do so is 0.
template <bool alternate> __device__ __forceinline__ void wait_for_tensor_cores(int consumer) {
    if (alternate) sync_named(1 + consumer, 2 * GROUP);
}
template <bool alternate> __device__ __forceinline__ void pass_tensor_cores_on(int consumer) {
    if (alternate) arrive_named(1 + (consumer ^ 1), 2 * GROUP);
}

template <int width, bool keys>
__device__ __forceinline__ void consume(shared<width, keys> *s, const operands &o, int consumer,
                                        int first, range r, const float *logs, const float *row_d,
                                        sums<width, keys> &sum) {
    typedef plan<width, keys> plan;
    constexpr int others = plan::others;
    const float scale = score_scale<width>() * LOG2_E;
    const int row = first + consumer * GROUP_ROWS, own = row + row_of_thread();
    float p[others / 2] = {}, dp[others / 2] = {}, of_rows[4] = {};
    unsigned p_words[others / 4], ds_words[others / 4];
    if (!keys)
        for (int h = 0; h < 2; h++) {
            const bool there = own + 8 * h < o.own_rows;
            of_rows[h] = there ? LOG2_E * logs[own + 8 * h] : 0.0f;
            of_rows[2 + h] = there ? row_d[own + 8 * h] : 0.0f;
        }
    wait_for(&s->own_full, 0);
    wait_for(&s->full[0], 0);
    hold(p);
    hold(dp);
    start_scores<width, others>(p, &s->own1[consumer], &s->stages[0].tile1);
    start_scores<width, others>(dp, &s->own2[consumer], &s->stages[0].tile2);
    if (consumer == 1) pass_tensor_cores_on<plan::alternate>(consumer);
    for (int n = 0;; n++) {
        const int at = n % plan::stages, next = (n + 1) % plan::stages;
        const int other = (r.from + n) * others;
        // The nearest pair: if these see each other, all do.
        const bool all =
            sees<keys>(o, keys ? row + GROUP_ROWS - 1 : row, keys ? other : other + others - 1) &&
            row + GROUP_ROWS <= o.own_rows && other + others <= o.other_rows;
        wait_products<1>(p);
        to_probabilities<keys, others>(p, o, scale, all, own, other, keys ? s->logs[at] : of_rows);
        wait_products<0>(dp);
        to_derivatives<keys, others>(dp, p, keys ? s->row_d[at] : of_rows + 2);
        if (keys) to_halves<others>(p_words, p);
        to_halves<others>(ds_words, dp);
        if (n + 1 == r.to - r.from) break;
        wait_for(&s->full[next], (unsigned)((n + 1) / plan::stages % 2));
        wait_for_tensor_cores<plan::alternate>(consumer);
        start_tile_sums<width, keys>(s, at, p_words, ds_words, sum);
        hold(p);
        start_scores<width, others>(p, &s->own1[consumer], &s->stages[next].tile1);
        pass_tensor_cores_on<plan::alternate>(consumer);
        wait_products<1>(dp); // the sums are done: registers of their factors are free
        arrive_once_per_warp(&s->empty[at]);
        start_scores<width, others>(dp, &s->own2[consumer], &s->stages[next].tile2);
    }
    if (consumer == 0) wait_for_tensor_cores<plan::alternate>(consumer); // 1 passed it on once more
    start_tile_sums<width, keys>(s, (r.to - r.from - 1) % plan::stages, p_words, ds_words, sum);
    wait_products<0>(sum.one);
    hold(sum.two);
}

// Rows `row` and `row` + 8 of the thread, times scale.
template <int width>
__device__ void store(__half *out, int row, int rows, float scale, const float (&sum)[width / 2]) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
        if (row + 8 * h >= rows) continue;
#pragma unroll
        for (int i = 0; i < width / 8; i++)
            *(unsigned *)(out + (int64_t)(row + 8 * h) * width + 8 * i + threadIdx.x % 4 * 2) =
                pack_halves(scale * sum[4 * i + 2 * h], scale * sum[4 * i + 2 * h + 1]);
    }
}

template <int width, bool keys>
__global__ void __launch_bounds__(THREADS, 1)
    backward(const __grid_constant__ attention_map own1, const __grid_constant__ attention_map own2,
             const __grid_constant__ attention_map others1,
             const __grid_constant__ attention_map others2, operands o) {
    extern __shared__ __align__(1024) unsigned char memory[];
    shared<width, keys> *s = (shared<width, keys> *)memory;
    // A warp is in one group, which the compiler does not know. Told so it is faster at width 128,
    // and slower with 64.
    const int head = blockIdx.y, thread_group = threadIdx.x / GROUP;
    const int group = width == 128 ? __shfl_sync(~0u, thread_group, 0) : thread_group;
    const int first = (keys ? blockIdx.x : gridDim.x - 1 - blockIdx.x) * OWN; // the longest first
    const int64_t queries = keys ? o.other_rows : o.own_rows;
    const float *logs = o.logs + head * queries, *row_d = o.row_d + head * queries;
    const range r = meets<plan<width, keys>::others, keys>(o, first);
    if (threadIdx.x == 0) {
        init_barrier(&s->own_full, 1);
        for (int i = 0; i < plan<width, keys>::stages; i++) {
            init_barrier(&s->full[i], keys ? 2 : 1);
            init_barrier(&s->empty[i], ARRIVALS);
        }
        show_barriers();
    }
    __syncthreads(); // the barriers are there
    if (group == 0) {
        give_registers_back<24>();
        if (r.from >= r.to) return;
        if (threadIdx.x == 0)
            produce<width, keys>(s, &own1, &own2, &others1, &others2, head, first, r);
        if constexpr (keys)
            if (threadIdx.x / WARP == 1) produce_numbers<width>(s, o, logs, row_d, r);
        return;
    }
    take_registers<240>();
    sums<width, keys> sum = {};
    if (r.from < r.to) consume<width, keys>(s, o, group - 1, first, r, logs, row_d, sum);
    const int row = first + (group - 1) * GROUP_ROWS + row_of_thread();
    const int64_t before = (int64_t)head * o.own_rows * width;
    store<width>(o.out1 + before, row, o.own_rows, score_scale<width>(), sum.one);
    if constexpr (keys) store<width>(o.out2 + before, row, o.own_rows, 1.0f, sum.two);
}

// D of each query, by a warp.
__global__ void rows_of_d(const __half *o, const __half *d_o, int64_t rows, int width,
                          float *row_d) {
    const int64_t r = (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP;
    if (r >= rows) return;
    float sum = 0.0f;
    for (int c = threadIdx.x % WARP * 2; c < width; c += 2 * WARP) {
        const float2 x = __half22float2(*(const __half2 *)(o + r * width + c));
        const float2 y = __half22float2(*(const __half2 *)(d_o + r * width + c));
        sum += x.x * y.x + x.y * y.y;
    }
    sum = sum_of_lanes(sum);
    if (threadIdx.x % WARP == 0) row_d[r] = sum;
}

// ---- host ----

// A matrix and how many of its rows a box has.
static int describe(const attention_backward_task *t, const void *d_first, int64_t rows,
                    int box_rows, attention_map *out) {
    const attention_boxes boxes = {d_first, t->heads, rows, t->width, box_rows};
    return t->describe(&boxes, out);
}

template <int width, bool keys>
static int launch(const attention_backward_task *t, const void *const own[2],
                  const void *const others[2], const operands &o) {
    attention_map maps[4];
    int code = cudaSuccess;
    for (int i = 0; i < 2 && code == cudaSuccess; i++) {
        code = describe(t, own[i], o.own_rows, GROUP_ROWS, &maps[i]);
        if (code == cudaSuccess)
            code = describe(t, others[i], o.other_rows, plan<width, keys>::others, &maps[2 + i]);
    }
    if (code != cudaSuccess) return code;
    code = cudaFuncSetAttribute(backward<width, keys>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)sizeof(shared<width, keys>));
    if (code != cudaSuccess) return code;
    const dim3 grid(divide_up(o.own_rows, OWN), (unsigned)t->heads);
    backward<width, keys>
        <<<grid, THREADS, sizeof(shared<width, keys>)>>>(maps[0], maps[1], maps[2], maps[3], o);
    return cudaGetLastError();
}

template <int width> static int both(const attention_backward_task *t) {
    const void *const of_queries[2] = {t->d_q, t->d_do}, *const of_keys[2] = {t->d_k, t->d_v};
    const int queries = (int)t->queries, keys = (int)t->keys;
    const bool causal = t->causal != 0;
    const int64_t rows = t->heads * t->queries;
    rows_of_d<<<divide_up(rows, WARPS), WARPS * WARP>>>(
        (const __half *)t->d_o, (const __half *)t->d_do, rows, width, t->d_row);
    const int code = launch<width, true>(t, of_keys, of_queries,
                                         {(__half *)t->d_dk, (__half *)t->d_dv, t->d_log, t->d_row,
                                          keys, queries, causal, keys - queries});
    if (code != cudaSuccess) return code;
    return launch<width, false>(
        t, of_queries, of_keys,
        {(__half *)t->d_dq, NULL, t->d_log, t->d_row, queries, keys, causal, keys - queries});
}

// Nothing meets anything.
static int clear(const attention_backward_task *t) {
    const size_t of_queries = (size_t)(t->heads * t->queries * t->width) * sizeof(__half);
    const size_t of_keys = (size_t)(t->heads * t->keys * t->width) * sizeof(__half);
    int code = cudaMemsetAsync(t->d_dq, 0, of_queries);
    if (code == cudaSuccess) code = cudaMemsetAsync(t->d_dk, 0, of_keys);
    return code == cudaSuccess ? cudaMemsetAsync(t->d_dv, 0, of_keys) : code;
}

extern "C" int attention_backward(const attention_backward_task *t) {
    if ((t->width != 64 && t->width != 128) || t->heads < 0 || t->queries < 0 || t->keys < 0)
        return cudaErrorInvalidValue;
    if (t->heads == 0) return cudaSuccess;
    if (t->queries == 0 || t->keys == 0) return clear(t);
    return t->width == 64 ? both<64>(t) : both<128>(t);
}
