// SPDX-License-Identifier: MIT
// Given to lab 14's last step: sizes of its kernels, what a block of threads shares, which tiles
// there are, their copies, what is done with scores and with O, and how long a kernel takes.
// Products, their order, the stores and the launches are the step's.
#pragma once

#include "boxes.cuh"

#define PART          16 // depth of a product
#define MERGE_THREADS 128
#define SECTION       16         // heads whose tiles are sorted together
#define LAST_SECTION  64         // the last heads
#define SECTION_BYTES (48 << 20) // K and V of a section at most: they stay in the L2

// Sizes of a kernel: columns of Q, K and V, keys of a block, groups that multiply. parts: a tile
// sees a part of the keys, because there are too few tiles for all SMs.
template <int width_, int keys_, int consumers_, bool parts_ = false> struct sizes {
    static constexpr bool parts = parts_;
    static constexpr int width = width_, keys = keys_, consumers = consumers_;
    static constexpr int rows = consumers * GROUP_ROWS; // of Q, in a tile
    static constexpr int threads = (consumers + 1) * GROUP;
    static constexpr int arrivals = consumers * (GROUP / WARP);  // that empty a stage
    static constexpr int registers = consumers == 2 ? 232 : 160; // per thread of a consumer
    static constexpr int few_registers = consumers == 2 ? 40 : 32;
    static constexpr int q_stages = 2, stages = width == 64 ? 4 : 2; // of Q; of K and V
    // Registers are left for O as halves: it is stored while the next values are multiplied.
    static constexpr bool stores_late = consumers == 2 && keys == 128 && !parts;
};

// A tile: queries `query` on of a head, and how many blocks of keys they need, from block `first`
// on. 0: there is none.
struct place {
    int head, query, blocks, part, first;
};

// What a tile that saw a part of the keys leaves of a row: sums of values and of exponentials
// beside its largest score, which is scaled for powers of 2.
template <int width> struct row_part { float o[width], sum, most; };

// The barriers of a ring of stages. The n-th tile that comes is in one stage, whose barriers are
// in one phase.
template <int stages> struct ring {
    barrier full[stages];  // a phase: the tile has arrived
    barrier empty[stages]; // a phase: all consumers have done with it
    static __device__ __forceinline__ int stage(int n) { return n % stages; }
    static __device__ __forceinline__ unsigned phase(int n) { return n / stages % 2; }
};

template <typename size> struct shared {
    typedef ring<size::q_stages> q_ring;
    typedef ring<size::stages> key_ring;
    tile<size::width, GROUP_ROWS> q[size::q_stages][size::consumers];
    tile<size::width, size::keys> k[size::stages], v[size::stages];
    place places[size::q_stages]; // of the queries
    q_ring of_q;
    key_ring of_k, of_v;
};

// What all blocks of threads have to do together, as in step 8.
struct work {
    shape task;
    int heads, tiles;
    int section, rest; // heads of a section; from head `rest` on there is one section more
    unsigned *ticket;
    __half *o;
    int parts;  // of the keys
    void *rows; // row_part[parts][heads][queries], if there are several
};

// Parts of a row, `stride` apart, as one; of its values one column.
struct merged {
    float value, sum, most;
};
template <int width>
__device__ __forceinline__ merged merge_parts(const row_part<width> *row, int count, int64_t stride,
                                              int column) {
    merged m = {0, 0, -CUDART_INF_F};
#pragma unroll 8
    for (int p = 0; p < count; p++) m.most = fmaxf(m.most, row[p * stride].most);
    const float base = m.most == -CUDART_INF_F ? 0 : m.most;
#pragma unroll 8
    for (int p = 0; p < count; p++) {
        const float factor = exp2_fast(row[p * stride].most - base);
        m.sum += row[p * stride].sum * factor;
        m.value += row[p * stride].o[column] * factor;
    }
    return m;
}

// An element of O; 0 where the row sees no key.
__device__ __forceinline__ __half quotient(const merged &m) {
    return __float2half(m.sum > 0 ? __fdividef(m.value, m.sum) : 0);
}

// O from the parts, in their order. Launched for each element.
template <int width>
__global__ void merge(const row_part<width> *parts, int count, int64_t rows, __half *o) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * width)
        o[i] = quotient(merge_parts<width>(&parts[i / width], count, rows, (int)(i % width)));
}
template <int width>
static int launch_merge(const attention_task *a, int count, const row_part<width> *parts) {
    const int64_t rows = a->heads * a->queries;
    merge<width><<<divide_up(rows * width, MERGE_THREADS), MERGE_THREADS>>>(parts, count, rows,
                                                                            (__half *)a->d_o);
    return cudaGetLastError();
}

// Blocks of keys that the queries `query` on need.
template <typename size>
__host__ __device__ __forceinline__ int blocks_of(const shape &task, int query) {
    int last = (query + size::rows < task.queries ? query + size::rows : task.queries) - 1;
    int seen = task.causal ? last + task.keys - task.queries + 1 : task.keys;
    seen = seen < task.keys ? seen : task.keys;
    return seen < 1 ? 1 : (seen + size::keys - 1) / size::keys;
}

// Tile `number`, in sections of heads, as in step 8. Tiles that are cut have equally many blocks.
template <typename size> __device__ __forceinline__ place find_tile(const work &w, int number) {
    if (number >= w.tiles * w.parts) return {};
    const int part = size::parts ? number % w.parts : 0;
    if (size::parts) number /= w.parts;
    const int per_head = (w.task.queries + size::rows - 1) / size::rows;
    const int first = min(number / (w.section * per_head) * w.section, w.rest);
    const int heads = first < w.rest ? w.section : w.heads - w.rest;
    const int inside = number - first * per_head;
    const int query = (per_head - 1 - inside / heads) * size::rows;
    place p = {first + inside % heads, query, blocks_of<size>(w.task, query), part, 0};
    if (size::parts) {
        p.first = p.blocks * part / w.parts;
        p.blocks = p.blocks * (part + 1) / w.parts - p.first;
    }
    return p;
}

// Starts the copy of K or V, `row` on, when the stage of the n-th is empty.
template <int width, int keys, int count>
__device__ __forceinline__ void produce(tile<width, keys> (&stages)[count], ring<count> *r,
                                        const attention_map *map, int head, int row, int n) {
    const int stage = r->stage(n);
    wait_for(&r->empty[stage], r->phase(n) ^ 1);
    expect_bytes(&r->full[stage], sizeof stages[stage]);
    start_tile(&stages[stage], map, head, row, &r->full[stage]);
}

// The t-th tile of this block of threads: its place, and its queries. A consumer that has none
// begins at the first query that does not exist, because no box may lie far behind its matrix.
template <typename size>
__device__ __forceinline__ void produce_q(shared<size> *s, const attention_map *map, const work &w,
                                          place p, int t) {
    typedef typename shared<size>::q_ring ring;
    const int stage = ring::stage(t);
    wait_for(&s->of_q.empty[stage], ring::phase(t) ^ 1);
    s->places[stage] = p;
    if (p.blocks == 0) {
        arrive(&s->of_q.full[stage]);
        return;
    }
    expect_bytes(&s->of_q.full[stage], sizeof s->q[stage]);
#pragma unroll
    for (int c = 0; c < size::consumers; c++)
        start_tile(&s->q[stage][c], map, p.head, min(p.query + c * GROUP_ROWS, w.task.queries),
                   &s->of_q.full[stage]);
}

// Called by one thread: tile after tile, until there is none.
template <typename size>
__device__ __forceinline__ void produce_all(shared<size> *s, const attention_map *q,
                                            const attention_map *k, const attention_map *v,
                                            const work &w) {
    int n = 0, number = blockIdx.x; // n: blocks of keys so far
    for (int t = 0;; t++) {
        const place p = find_tile<size>(w, number);
        produce_q(s, q, w, p, t);
        if (p.blocks == 0) return;
        number = gridDim.x + atomicAdd(w.ticket, 1);
        for (int b = 0; b < p.blocks; b++, n++) {
            produce(s->k, &s->of_k, k, p.head, (p.first + b) * size::keys, n);
            produce(s->v, &s->of_v, v, p.head, (p.first + b) * size::keys, n);
        }
    }
}

// The consumers start products one after the other, in a ring. Consumer 0 is the first.
template <typename size> __device__ __forceinline__ void wait_for_tensor_cores(int consumer) {
    sync_named(1 + consumer, 2 * GROUP);
}
template <typename size> __device__ __forceinline__ void pass_tensor_cores_on(int consumer) {
    arrive_named(1 + (consumer + 1) % size::consumers, 2 * GROUP);
}

// Four neighbouring lanes have four words each: lane i of them gets the i-th words of all.
__device__ __forceinline__ void transpose_words(unsigned (&x)[4]) {
    const bool odd = threadIdx.x % 2, high = threadIdx.x / 2 % 2;
#pragma unroll
    for (int i = 0; i < 4; i += 2) { // blocks of 2 x 2
        unsigned got = __shfl_xor_sync(~0u, odd ? x[i] : x[i + 1], 1);
        x[i] = odd ? got : x[i];
        x[i + 1] = odd ? x[i + 1] : got;
    }
#pragma unroll
    for (int i = 0; i < 2; i++) { // and the blocks
        unsigned got = __shfl_xor_sync(~0u, high ? x[i] : x[i + 2], 2);
        x[i] = high ? got : x[i];
        x[i + 2] = high ? x[i + 2] : got;
    }
}

// Stores what a part of the keys gave.
template <typename size>
__device__ __forceinline__ void store_part(const work &w, place p, int consumer,
                                           const float (&o)[size::width / 2], const rows *r) {
    const int query = p.query + consumer * GROUP_ROWS + row_of_thread();
    const int64_t rows_before = ((int64_t)p.part * w.heads + p.head) * w.task.queries;
    row_part<size::width> *to = (row_part<size::width> *)w.rows + rows_before;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const float sum = sum_of_lanes<4>(r->sum[h]);
        if (query + 8 * h >= w.task.queries) continue;
        row_part<size::width> *row = &to[query + 8 * h];
#pragma unroll
        for (int i = 0; i < size::width / 8; i++)
            *(float2 *)&row->o[8 * i + threadIdx.x % 4 * 2] =
                make_float2(o[4 * i + 2 * h], o[4 * i + 2 * h + 1]);
        if (threadIdx.x % 4 > 0) continue;
        row->sum = sum;
        row->most = r->most[h] * score_scale<size::width>() * LOG2_E;
    }
}

// All values of a tile are added to o: divides by the sums of the rows. words: those of row h are
// words[h]. Rows that see no key become 0.
template <typename size>
__device__ __forceinline__ void finish(unsigned (&words)[2][size::width / 8], const work &w,
                                       place p, int consumer, const float (&o)[size::width / 2],
                                       const rows *r) {
    if constexpr (size::parts) {
        store_part<size>(w, p, consumer, o, r);
    } else {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float sum = sum_of_lanes<4>(r->sum[h]), inverse = sum > 0 ? __fdividef(1, sum) : 0;
#pragma unroll
            for (int i = 0; i < size::width / 8; i++)
                words[h][i] =
                    pack_halves(o[4 * i + 2 * h] * inverse, o[4 * i + 2 * h + 1] * inverse);
        }
    }
}

// Scores of block b of tile p become exponentials.
template <typename size>
__device__ __forceinline__ void to_exponentials(float (&x)[size::keys / 2], rows *r,
                                                const shape &task, place p, int consumer, int b) {
    const int query = p.query + consumer * GROUP_ROWS;
    if (size::parts) b += p.first;
    if ((b + 1) * size::keys > keys_seen(task, query)) // the first query does not see all of them
        hide<size::keys>(x, task, query + row_of_thread(), b * size::keys);
    add_scores<size::width, size::keys>(x, r);
}

template <int stages> __device__ __forceinline__ void init_ring(ring<stages> *r, int arrivals) {
    for (int i = 0; i < stages; i++) {
        init_barrier(&r->full[i], 1);
        init_barrier(&r->empty[i], arrivals);
    }
}

// About how long the busiest SM works, in products of 64 queries and a key: all tiles, spread over
// the SMs, or the longest tile. What a block of keys costs beside its products is that of so many
// more keys. efficiency: of a kernel of that size, beside others of its width.
template <typename size>
static double cost_of(const attention_task *a, int processors, double efficiency) {
    const shape task = {(int)a->queries, (int)a->keys, a->causal != 0};
    const double beside = 32, block = size::consumers * (size::keys + beside) / efficiency;
    double sum = 0, most = 0;
    for (int query = 0; query < task.queries; query += size::rows) {
        double cost = blocks_of<size>(task, query) * block;
        sum += cost;
        most = cost > most ? cost : most;
    }
    sum *= (double)a->heads / processors;
    return sum > most ? sum : most;
}

// Into how many parts keys are cut, of two blocks at least: as many as give each SM one. Below 2:
// tiles are not cut, because there are enough, or because they have different keys.
template <typename size> static int parts_of(const attention_task *a, int processors) {
    const shape task = {(int)a->queries, (int)a->keys, a->causal != 0};
    if (task.causal && task.queries > size::rows) return 1;
    const int64_t tiles = a->heads * divide_up(a->queries, size::rows);
    const int64_t most = blocks_of<size>(task, 0) / 2, parts = processors / tiles;
    return (int)(parts < most ? parts : most < 1 ? 1 : most);
}

// Full: the tiles of a head after each other. Causal: the longest of several heads first. The last
// heads are one section, as large as the L2 allows: its short tiles are the last of all.
template <int width> static void set_sections(const attention_task *a, work *w) {
    const int64_t head_bytes = 2 * a->keys * width * (int64_t)sizeof(__half);
    const int64_t fit = a->causal && head_bytes < SECTION_BYTES ? SECTION_BYTES / head_bytes : 1;
    w->section = (int)(fit < SECTION ? fit : SECTION);
    const int64_t last = a->heads - (fit < LAST_SECTION ? fit : LAST_SECTION);
    w->rest = last > 0 ? (int)(divide_up(last, w->section) * w->section) : 0;
}
