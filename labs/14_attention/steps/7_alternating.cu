// SPDX-License-Identifier: MIT
// Lab 14, step 7: groups that alternate. A producer starts the copies; of the two groups that
// multiply one has its products done while the other computes exponentials. For that to take as
// long, the scores of a block of keys and the values of the block before are multiplied together.
//
// What it fixes: in step 6 both groups wait for the tensor cores at the same time, and then both
// keep them waiting.
// Why it is slow: causal blocks of keys that no query sees are multiplied, too; while a block
// begins and ends its tensor cores rest; blocks that come last leave most SMs without work.
#include "attention_alternating.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

template <int width> struct shared {
    tile<width, GROUP_ROWS> q[CONSUMERS];
    stages<width> k, v;
    barrier q_full;
};

// Called by one thread: starts the copy of block n of keys when its stage is empty.
template <int width>
__device__ __forceinline__ void produce(stages<width> *s, const attention_map *map, int head,
                                        int n) {
    // TODO(student): wait until the stage is empty. Which phase has ended when nobody has arrived
    // yet, as for the first STAGES blocks? Then expect the bytes, start the tile.
    (void)s, (void)map, (void)head, (void)n;
}

// Starts the products x = Q K^T of the group's queries and a block of keys.
template <int width>
__device__ __forceinline__ void start_scores(float (&x)[KEYS / 2], const tile<width, GROUP_ROWS> *q,
                                             const tile<width, KEYS> *k) {
    // TODO(student): as in step 6
    (void)x, (void)q, (void)k;
}

// Starts the products o += P V of a block of keys.
template <int width>
__device__ __forceinline__ void start_values(float (&o)[width / 2], const unsigned (&p)[KEYS / 4],
                                             const tile<width, KEYS> *v) {
    // TODO(student): as in step 6
    (void)o, (void)p, (void)v;
}

// The consumers start products alternately, when the other one has passed the tensor cores on.
// Consumer 0 is the first.
__device__ __forceinline__ void wait_for_tensor_cores(int consumer) {
    sync_named(1 + consumer, 2 * GROUP);
}
__device__ __forceinline__ void pass_tensor_cores_on(int consumer) {
    arrive_named(1 + (consumer ^ 1), 2 * GROUP);
}

// All blocks of keys for the 64 queries of a consumer, `query` on.
template <int width>
__device__ __forceinline__ void consume(shared<width> *s, int consumer, int query, shape task,
                                        float (&o)[width / 2]) {
    const tile<width, GROUP_ROWS> *q = &s->q[consumer];
    const int blocks = (task.keys + KEYS - 1) / KEYS;
    rows r = no_rows();
    float x[KEYS / 2] = {};
    unsigned p[KEYS / 4];
    wait_for(&s->q_full, 0);
    wait_for(&s->k.full[0], 0);
    hold(x);
    start_scores(x, q, &s->k.tiles[0]);
    wait_products<0>(x);
    arrive_once_per_warp(&s->k.empty[0]);
    to_probabilities<width>(p, x, &r, task, query, 0);
    if (consumer == 1) pass_tensor_cores_on(consumer);
    for (int n = 1; n < blocks; n++) {
        const int last = stage_of(n - 1), now = stage_of(n);
        // TODO(student): K of block n, V of block n - 1: wait until both are full; and for the
        // tensor cores. Start scores and values, and pass the cores on before they
        // are done. When they are, both stages are empty; probabilities, rescale o.
        (void)last, (void)now, (void)q, (void)o;
    }
    wait_for(&s->v.full[stage_of(blocks - 1)], phase_of(blocks - 1));
    hold(o);
    hold(p);
    start_values(o, p, &s->v.tiles[stage_of(blocks - 1)]);
    wait_products<0>(o);
    divide(o, &r);
}

// q, k, v, o: [heads][queries or keys][width]. Block b has ROWS queries, those of a head after each
// other.
template <int width>
__global__ void __launch_bounds__(THREADS, 1)
    alternating(const __grid_constant__ attention_map q, const __grid_constant__ attention_map k,
                const __grid_constant__ attention_map v, shape task, __half *o) {
    extern __shared__ __align__(1024) unsigned char memory[];
    shared<width> *s = (shared<width> *)memory;
    const int tiles = (task.queries + ROWS - 1) / ROWS, head = blockIdx.x / tiles;
    const int first = blockIdx.x % tiles * ROWS;
    if (threadIdx.x == 0) {
        init_barrier(&s->q_full, 1);
        init_stages(&s->k);
        init_stages(&s->v);
        show_barriers();
    }
    __syncthreads(); // the barriers are there
    if (threadIdx.x < GROUP) {
        give_registers_back<40>(); // of 168
        if (threadIdx.x > 0) return;
        expect_bytes(&s->q_full, sizeof s->q);
        for (int c = 0; c < CONSUMERS; c++)
            start_tile(&s->q[c], &q, head, first + c * GROUP_ROWS, &s->q_full);
        for (int n = 0; n < (task.keys + KEYS - 1) / KEYS; n++) {
            produce(&s->k, &k, head, n);
            produce(&s->v, &v, head, n);
        }
    } else {
        take_registers<232>();
        const int consumer = threadIdx.x / GROUP - 1, query = first + consumer * GROUP_ROWS;
        float sum[width / 2] = {};
        consume(s, consumer, query, task, sum);
        store_rows<width>(o + (int64_t)head * task.queries * width, query + row_of_thread(),
                          task.queries, sum);
    }
}

template <int width> static int launch(const attention_task *a) {
    attention_map q, k, v;
    int code = describe_inputs(a, KEYS, &q, &k, &v);
    if (code != cudaSuccess) return code;
    code = cudaFuncSetAttribute(alternating<width>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)sizeof(shared<width>));
    if (code != cudaSuccess) return code;
    const shape task = {(int)a->queries, (int)a->keys, a->causal != 0};
    const unsigned blocks = (unsigned)(a->heads * divide_up(a->queries, ROWS));
    alternating<width><<<blocks, THREADS, sizeof(shared<width>)>>>(q, k, v, task, (__half *)a->d_o);
    return cudaGetLastError();
}

extern "C" int attention_step7(const attention_task *a) {
    int code;
    if (!IMPLEMENTED) return ATTENTION_NOT_IMPLEMENTED;
    if (!is_task(a, &code)) return code;
    return a->width == 64 ? launch<64>(a) : launch<128>(a);
}
// ladder-skeleton 53a20fd19ea27530 (as it was handed out; any change makes this file yours)
