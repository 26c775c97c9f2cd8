// SPDX-License-Identifier: MIT
// Lab 14, step 9: no rest between tiles. The next tile's first scores are multiplied together with
// this one's last values, and O leaves while they are: to the tensor cores all tiles are one row of
// blocks of keys. A consumer waits only for its scores, and computes exponentials while its own
// values are multiplied. Q of the next tile comes while this one is multiplied. Sizes follow the
// task; where there are few tiles, their keys are cut into parts.
//
// What it fixes: at the beginning and at the end of each tile of step 8 its tensor cores rest. At
// 1,024 keys a tile has eight blocks.
// What is left: 2,048 tiles for 132 SMs are 15.5 per SM; and tensor cores wait for exponentials.
#include "boxes.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

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

// Starts the products x = Q K^T of the group's queries and a block of keys.
template <int width, int keys>
__device__ __forceinline__ void start_scores(float (&x)[keys / 2], const tile<width, GROUP_ROWS> *q,
                                             const tile<width, keys> *k) {
    // SOLUTION BEGIN
    begin_products();
#pragma unroll
    for (int p = 0; p < width / PART; p++) {
        const int box = p * PART / BOX_COLUMNS, inside = p * PART % BOX_COLUMNS;
        multiply_tiles<keys>(x, name_rows(q->box[box]) + inside * 2 / 16,
                             name_rows(k->box[box]) + inside * 2 / 16, p > 0);
    }
    end_products();
    // SOLUTION TODO: as in step 6
    // SOLUTION STUB: (void)x, (void)q, (void)k;
}

// Starts the products o = P V of a block of keys, or with `adds` o += P V.
template <int width, int keys>
__device__ __forceinline__ void start_values(float (&o)[width / 2], const unsigned (&p)[keys / 4],
                                             const tile<width, keys> *v, bool adds) {
    // SOLUTION BEGIN
    begin_products();
#pragma unroll
    for (int i = 0; i < keys / PART; i++)
        multiply_words<width>(o, &p[4 * i], name_depth_rows(v) + i * PART * 128 / 16,
                              i > 0 || adds);
    end_products();
    // SOLUTION TODO: as in step 6, but the first products add to o only if `adds`
    // SOLUTION STUB: (void)o, (void)p, (void)v, (void)adds;
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

// As store_rows, but 16 bytes per lane: the four lanes of a row have 4 bytes each of four chunks,
// and change them for one chunk each.
template <typename size>
__device__ __forceinline__ void store_chunks(const work &w, place p, int consumer,
                                             const unsigned (&words)[2][size::width / 8]) {
    if (size::parts) return;
    const int width = size::width, queries = w.task.queries;
    const int query = p.query + consumer * GROUP_ROWS + row_of_thread();
    __half *to = w.o + (int64_t)p.head * queries * width;
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
        for (int i = 0; i < width / 8; i += 4) {
            unsigned x[4] = {words[h][i], words[h][i + 1], words[h][i + 2], words[h][i + 3]};
            transpose_words(x);
            if (query + 8 * h < queries)
                *(uint4 *)&to[(int64_t)(query + 8 * h) * width + 8 * (i + threadIdx.x % 4)] =
                    make_uint4(x[0], x[1], x[2], x[3]);
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

// Blocks of keys of all tiles, one after the other. Before iteration n the exponentials of block n
// are in p: it is block b of the tile `now`, whose values so far are in o.
template <typename size>
__device__ __forceinline__ void consume_all(shared<size> *s, int consumer, const work &w) {
    typedef typename shared<size>::q_ring q_ring;
    typedef typename shared<size>::key_ring key_ring;
    float x[size::keys / 2] = {}, o[size::width / 2] = {};
    unsigned p[size::keys / 4], out[2][size::width / 8] = {}; // out: O of the tile before
    rows r = no_rows(), done = no_rows();
    wait_for(&s->of_q.full[0], 0);
    place now = s->places[0], before = {}; // before: the tile that o still has to leave for
    wait_for(&s->of_k.full[0], 0);
    hold(x);
    start_scores<size::width, size::keys>(x, &s->q[0][consumer], &s->k[0]);
    wait_products<0>(x);
    arrive_once_per_warp(&s->of_k.empty[0]);
    if (now.blocks == 1) arrive_once_per_warp(&s->of_q.empty[0]);
    to_exponentials<size>(x, &r, w.task, now, consumer, 0);
    to_halves<size::keys>(p, x);
    if (consumer == size::consumers - 1) pass_tensor_cores_on<size>(consumer);
    int n = 0, b = 0, t = 0; // t: tiles so far
    while (true) {
        const bool ends = b + 1 == now.blocks;
        place next = now;
        if (ends) {
            t++;
            wait_for(&s->of_q.full[q_ring::stage(t)], q_ring::phase(t));
            next = s->places[q_ring::stage(t)];
            if (next.blocks == 0) break;
        }
        const int next_b = ends ? 0 : b + 1, of_q = q_ring::stage(t);
        const int stage = key_ring::stage(n + 1), last = key_ring::stage(n);
        const bool leaves = b == 0 && n > 0; // o holds the tile before
        // SOLUTION BEGIN
        wait_for(&s->of_k.full[stage], key_ring::phase(n + 1));
        wait_for_tensor_cores<size>(consumer);
        hold(x);
        start_scores<size::width, size::keys>(x, &s->q[of_q][consumer], &s->k[stage]);
        if (leaves) {
            // this takes longer than the scores
            if (!size::stores_late) pass_tensor_cores_on<size>(consumer);
            finish<size>(out, w, before, consumer, o, &done);
            if (!size::stores_late) store_chunks<size>(w, before, consumer, out);
        }
        wait_for(&s->of_v.full[last], key_ring::phase(n));
        hold(o);
        hold(p);
        start_values<size::width, size::keys>(o, p, &s->v[last], b > 0);
        if (!leaves || size::stores_late) pass_tensor_cores_on<size>(consumer);
        if (leaves && size::stores_late) store_chunks<size>(w, before, consumer, out);
        wait_products<1>(x);
        arrive_once_per_warp(&s->of_k.empty[stage]);
        if (next_b + 1 == next.blocks) arrive_once_per_warp(&s->of_q.empty[of_q]);
        if (ends) {
            before = now;
            done = r;
            r = no_rows();
        }
        to_exponentials<size>(x, &r, w.task, next, consumer, next_b);
        wait_products<0>(o);
        arrive_once_per_warp(&s->of_v.empty[last]);
        if (!ends) rescale(o, &r);
        to_halves<size::keys>(p, x);
        // SOLUTION TODO: scores of block n + 1, values of block n, as in step 8. New: where o
        // SOLUTION TODO: leaves, `finish` takes it into `out` between the two. It is stored there,
        // SOLUTION TODO: and the next consumer need not wait for that; or with `stores_late` after
        // SOLUTION TODO: the values have been started. The first values of a tile set o. Wait for
        // SOLUTION TODO: the scores only; if they were the tile's last, Q is empty. Where a tile
        // SOLUTION TODO: ends, keep r in `done` and begin anew. Exponentials; then wait for the
        // SOLUTION TODO: values, rescale, halves.
        // SOLUTION STUB: (void)next_b, (void)of_q, (void)stage, (void)last, (void)leaves;
        now = next;
        b = next_b;
        n++;
    }
    if (b == 0 && n > 0) {
        finish<size>(out, w, before, consumer, o, &done);
        store_chunks<size>(w, before, consumer, out);
    }
    wait_for(&s->of_v.full[key_ring::stage(n)], key_ring::phase(n));
    hold(o);
    hold(p);
    start_values<size::width, size::keys>(o, p, &s->v[key_ring::stage(n)], b > 0);
    wait_products<0>(o);
    finish<size>(out, w, now, consumer, o, &r);
    store_chunks<size>(w, now, consumer, out);
}

template <int stages> __device__ __forceinline__ void init_ring(ring<stages> *r, int arrivals) {
    for (int i = 0; i < stages; i++) {
        init_barrier(&r->full[i], 1);
        init_barrier(&r->empty[i], arrivals);
    }
}

// q, k, v, w.o: [heads][queries or keys][width].
template <typename size>
__global__ void __launch_bounds__(size::threads, 1)
    any(const __grid_constant__ attention_map q, const __grid_constant__ attention_map k,
        const __grid_constant__ attention_map v, const work w) {
    extern __shared__ __align__(1024) unsigned char memory[];
    shared<size> *s = (shared<size> *)memory;
    if (threadIdx.x == 0) {
        init_ring(&s->of_q, size::arrivals);
        init_ring(&s->of_k, size::arrivals);
        init_ring(&s->of_v, size::arrivals);
        show_barriers();
    }
    __syncthreads(); // the barriers are there
    // A warp is in one group, but the compiler does not know that. Told so, it keeps what follows
    // from it once per warp, and need not bring lanes together again.
    const int group = __shfl_sync(~0u, threadIdx.x / GROUP, 0);
    if (group == 0) {
        give_registers_back<size::few_registers>();
        if (threadIdx.x == 0) produce_all<size>(s, &q, &k, &v, w);
    } else {
        take_registers<size::registers>();
        consume_all<size>(s, group - 1, w);
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

// O from the parts, in their order. Launched for each element.
template <int width>
__global__ void merge(const row_part<width> *parts, int count, int64_t rows, __half *o) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * width) return;
    const row_part<width> *row = &parts[i / width];
    float most = -CUDART_INF_F, sum = 0, value = 0;
    for (int p = 0; p < count; p++) most = fmaxf(most, row[p * rows].most);
    const float base = most == -CUDART_INF_F ? 0 : most;
    for (int p = 0; p < count; p++) {
        const float factor = exp2_fast(row[p * rows].most - base);
        sum += row[p * rows].sum * factor;
        value += row[p * rows].o[i % width] * factor;
    }
    o[i] = __float2half(sum > 0 ? __fdividef(value, sum) : 0);
}

template <typename size> static int launch(const attention_task *a, int processors) {
    attention_map q, k, v;
    int code = describe_inputs(a, size::keys, &q, &k, &v);
    if (code != cudaSuccess) return code;
    code = cudaFuncSetAttribute(any<size>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)sizeof(shared<size>));
    if (code == cudaSuccess) code = cudaMemsetAsync(a->d_workspace, 0, sizeof(unsigned)); // ticket
    if (code != cudaSuccess) return code;
    work w = {};
    w.task = {(int)a->queries, (int)a->keys, a->causal != 0};
    w.heads = (int)a->heads;
    set_sections<size::width>(a, &w);
    w.tiles = (int)(a->heads * divide_up(a->queries, size::rows));
    w.ticket = (unsigned *)a->d_workspace;
    w.o = (__half *)a->d_o;
    w.parts = size::parts ? parts_of<size>(a, processors) : 1;
    w.rows = (char *)a->d_workspace + 256; // parts have two blocks: fewer floats than scores
    const int all = w.tiles * w.parts;
    const unsigned blocks = (unsigned)(all < processors ? all : processors);
    any<size><<<blocks, size::threads, sizeof(shared<size>)>>>(q, k, v, w);
    if (!size::parts) return cudaGetLastError();
    const int64_t rows = a->heads * a->queries;
    merge<size::width><<<divide_up(rows * size::width, MERGE_THREADS), MERGE_THREADS>>>(
        (row_part<size::width> *)w.rows, w.parts, rows, w.o);
    return cudaGetLastError();
}

extern "C" int attention_step9(const attention_task *a) {
    int code, processors = 0;
    if (!IMPLEMENTED) return ATTENTION_NOT_IMPLEMENTED;
    if (!is_task(a, &code)) return code;
    code = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    if (code != cudaSuccess) return code;
    if (a->width == 128) {
        if (parts_of<sizes<128, 128, 2, true>>(a, processors) > 1)
            return launch<sizes<128, 128, 2, true>>(a, processors);
        return cost_of<sizes<128, 160, 2>>(a, processors, 1) <
                       cost_of<sizes<128, 128, 2>>(a, processors, 1)
                   ? launch<sizes<128, 160, 2>>(a, processors)
                   : launch<sizes<128, 128, 2>>(a, processors);
    }
    if (parts_of<sizes<64, 128, 2, true>>(a, processors) > 1)
        return launch<sizes<64, 128, 2, true>>(a, processors);
    return cost_of<sizes<64, 128, 2>>(a, processors, 0.86) <
                   cost_of<sizes<64, 128, 3>>(a, processors, 1)
               ? launch<sizes<64, 128, 2>>(a, processors)
               : launch<sizes<64, 128, 3>>(a, processors);
}
