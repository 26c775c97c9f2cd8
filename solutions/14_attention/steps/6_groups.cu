// SPDX-License-Identifier: MIT
// Lab 14, step 6: warp groups. One thread starts bulk copies of K and V, two blocks of keys ahead;
// two groups of four warps have 64 queries each and multiply tiles straight from shared memory.
// Scores come out as sums in registers, and go into the second product from there: only as halves.
//
// What it fixes: loads of fragments and their addresses take most of step 5's instructions, and
// mma.sync reaches less than two thirds of the rate of these tensor cores.
// Why it is slow: both groups multiply at the same time and then compute exponentials at the same
// time: one of the two units always rests.
#include "boxes.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define KEYS    128 // of a block of keys: what is copied and multiplied at once
#define STAGES  2   // blocks of keys in shared memory
#define PART    16  // depth of a product
#define GROUPS  2
#define ROWS    (GROUPS * GROUP_ROWS) // of Q that a block has
#define THREADS (GROUPS * GROUP)

template <int width> struct stage { tile<width, KEYS> k, v; };

template <int width> struct shared {
    tile<width, GROUP_ROWS> q[GROUPS];
    stage<width> stages[STAGES];
    barrier q_full;       // its phase: Q has arrived
    barrier full[STAGES]; // a phase: K and V of a block of keys have arrived
};

// Called by one thread: starts the copies of block n of keys, if there is one.
template <int width>
__device__ __forceinline__ void start_keys(shared<width> *s, const attention_map *k,
                                           const attention_map *v, int head, int n, int blocks) {
    // SOLUTION BEGIN
    if (n >= blocks) return;
    stage<width> *to = &s->stages[n % STAGES];
    barrier *full = &s->full[n % STAGES];
    expect_bytes(full, sizeof *to);
    start_tile(&to->k, k, head, n * KEYS, full);
    start_tile(&to->v, v, head, n * KEYS, full);
    // SOLUTION TODO: the barrier of its stage expects the bytes of both tiles; then start both
    // SOLUTION STUB: (void)s, (void)k, (void)v, (void)head, (void)n, (void)blocks;
}

// Starts the products x = Q K^T of the group's queries and a block of keys.
template <int width>
__device__ __forceinline__ void start_scores(float (&x)[KEYS / 2], const tile<width, GROUP_ROWS> *q,
                                             const tile<width, KEYS> *k) {
    // SOLUTION BEGIN
    begin_products();
#pragma unroll
    for (int p = 0; p < width / PART; p++) {
        const int box = p * PART / BOX_COLUMNS, inside = p * PART % BOX_COLUMNS;
        multiply_tiles<KEYS>(x, name_rows(q->box[box]) + inside * 2 / 16,
                             name_rows(k->box[box]) + inside * 2 / 16, p > 0);
    }
    end_products();
    // SOLUTION TODO: for each PART of the columns: in which box do they lie, and where in it? The
    // SOLUTION TODO: first product sets x, the others add to it.
    // SOLUTION STUB: (void)x, (void)q, (void)k;
}

// Starts the products o += P V of a block of keys.
template <int width>
__device__ __forceinline__ void start_values(float (&o)[width / 2], const unsigned (&p)[KEYS / 4],
                                             const tile<width, KEYS> *v) {
    // SOLUTION BEGIN
    begin_products();
#pragma unroll
    for (int i = 0; i < KEYS / PART; i++)
        multiply_words<width>(o, &p[4 * i], name_depth_rows(v) + i * PART * 128 / 16, true);
    end_products();
    // SOLUTION TODO: for each PART of the keys: four registers of p, and V from that key on
    // SOLUTION STUB: (void)o, (void)p, (void)v;
}

// All blocks of keys for the 64 queries of a group, `query` of `head` on.
template <int width>
__device__ __forceinline__ void attend(shared<width> *s, const attention_map *k,
                                       const attention_map *v, int head, int query, shape task,
                                       float (&o)[width / 2]) {
    const tile<width, GROUP_ROWS> *q = &s->q[threadIdx.x / GROUP];
    const int blocks = (task.keys + KEYS - 1) / KEYS;
    rows r = no_rows();
    float x[KEYS / 2] = {};
    unsigned p[KEYS / 4];
    for (int n = 0; n < blocks; n++) {
        const stage<width> *from = &s->stages[n % STAGES];
        wait_for(&s->full[n % STAGES], n / STAGES % 2);
        // SOLUTION BEGIN
        hold(x);
        start_scores(x, q, &from->k);
        wait_products<0>(x);
        if ((n + 1) * KEYS > keys_seen(task, query)) // the first query does not see all of them
            hide<KEYS>(x, task, query + row_of_thread(), n * KEYS);
        add_scores<width, KEYS>(x, &r);
        to_halves<KEYS>(p, x);
        rescale(o, &r);
        hold(o);
        hold(p);
        start_values<width>(o, p, &from->v);
        wait_products<0>(o);
        // SOLUTION TODO: scores, wait, hide those that are not seen, add_scores, rescale what o has
        // SOLUTION TODO: of earlier keys, values, wait. `hold` the registers of products before
        // SOLUTION TODO: they start.
        // SOLUTION STUB: (void)q, (void)from, (void)x, (void)p, (void)query, (void)r, (void)o;
        __syncthreads(); // nobody reads this stage any more
        if (threadIdx.x == 0) start_keys(s, k, v, head, n + STAGES, blocks);
    }
    divide(o, &r);
}

// q, k, v, o: [heads][queries or keys][width]. Block b has ROWS queries, those of a head after each
// other.
template <int width>
__global__ void __launch_bounds__(THREADS, 1)
    groups(const __grid_constant__ attention_map q, const __grid_constant__ attention_map k,
           const __grid_constant__ attention_map v, shape task, __half *o) {
    extern __shared__ __align__(1024) unsigned char memory[];
    shared<width> *s = (shared<width> *)memory;
    const int tiles = (task.queries + ROWS - 1) / ROWS, head = blockIdx.x / tiles;
    const int first = blockIdx.x % tiles * ROWS, blocks = (task.keys + KEYS - 1) / KEYS;
    if (threadIdx.x == 0) {
        init_barrier(&s->q_full, 1);
        for (int i = 0; i < STAGES; i++) init_barrier(&s->full[i], 1);
        show_barriers();
        expect_bytes(&s->q_full, sizeof s->q);
        for (int g = 0; g < GROUPS; g++)
            start_tile(&s->q[g], &q, head, first + g * GROUP_ROWS, &s->q_full);
        for (int n = 0; n < STAGES; n++) start_keys(s, &k, &v, head, n, blocks);
    }
    __syncthreads(); // the barriers are there
    wait_for(&s->q_full, 0);
    const int query = first + threadIdx.x / GROUP * GROUP_ROWS;
    float sum[width / 2] = {};
    attend(s, &k, &v, head, query, task, sum);
    store_rows<width>(o + (int64_t)head * task.queries * width, query + row_of_thread(),
                      task.queries, sum);
}

template <int width> static int launch(const attention_task *a) {
    attention_map q, k, v;
    int code = describe_inputs(a, KEYS, &q, &k, &v);
    if (code != cudaSuccess) return code;
    code = cudaFuncSetAttribute(groups<width>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)sizeof(shared<width>));
    if (code != cudaSuccess) return code;
    const shape task = {(int)a->queries, (int)a->keys, a->causal != 0};
    const unsigned blocks = (unsigned)(a->heads * divide_up(a->queries, ROWS));
    groups<width><<<blocks, THREADS, sizeof(shared<width>)>>>(q, k, v, task, (__half *)a->d_o);
    return cudaGetLastError();
}

extern "C" int attention_step6(const attention_task *a) {
    int code;
    if (!IMPLEMENTED) return ATTENTION_NOT_IMPLEMENTED;
    if (!is_task(a, &code)) return code;
    return a->width == 64 ? launch<64>(a) : launch<128>(a);
}
