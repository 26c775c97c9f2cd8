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
//
// attention_any.cuh, given, has the sizes, the tiles and their copies, and what becomes of scores.
#include "boxes.cuh"
#include "attention_any.cuh"
#include "attention_few.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

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
    return launch_merge<size::width>(a, w.parts, (row_part<size::width> *)w.rows);
}

extern "C" int attention_step9(const attention_task *a) {
    int code, processors = 0;
    if (!IMPLEMENTED) return ATTENTION_NOT_IMPLEMENTED;
    if (!is_task(a, &code)) return code;
    code = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    if (code != cudaSuccess) return code;
    if (a->queries <= FEW)
        return a->width == 128 ? launch_few<128>(a, processors) : launch_few<64>(a, processors);
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
