// SPDX-License-Identifier: MIT
// Given to the steps of lab 14 from 6 on: bulk tensor copies, mbarriers, products of warp groups
// and named barriers, a function for each instruction of PTX (its manual, sections 9.7.9, 9.7.13
// and 9.7.15), and the softmax of scores as such products leave them in registers. Compute
// capability 9.0; the products are compiled for sm_90a.
#pragma once

#include "attention.cuh"

#define GROUP       128 // threads of a warp group
#define GROUP_ROWS  64  // of Q that a warp group has: 16 for each of its warps
#define BOX_COLUMNS 64  // elements in the 128 bytes of a box's row

// Rows of Q, K or V in shared memory: a box for each 64 columns, of rows of 128 bytes, of which
// chunk c of 16 bytes of row r lies at index c ^ r % 8.
template <int width, int rows> struct alignas(1024) tile {
    __half box[width / BOX_COLUMNS][rows][BOX_COLUMNS];
};

// What kernels need to know of a task.
struct shape {
    int queries, keys;
    bool causal;
};

__device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

// ---- mbarriers ----

// In shared memory. Its phase ends when all arrivals have come, and all bytes that were expected.
typedef uint64_t barrier;

// arrivals: of each phase.
__device__ __forceinline__ void init_barrier(barrier *b, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :
                 : "r"(shared_address(b)), "r"(arrivals)
                 : "memory");
}

// Shows the barriers that this thread has initialised to the hardware that copies.
__device__ __forceinline__ void show_barriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

__device__ __forceinline__ void arrive(barrier *b) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(shared_address(b)) : "memory");
}

// One arrival for all lanes of a warp, when they have all come here.
__device__ __forceinline__ void arrive_once_per_warp(barrier *b) {
    __syncwarp();
    if (threadIdx.x % WARP == 0) arrive(b);
}

// Arrives, and makes the phase wait for so many bytes.
__device__ __forceinline__ void expect_bytes(barrier *b, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(shared_address(b)), "r"(bytes)
                 : "memory");
}

// Waits until a phase has ended: 0 for the first, then 1, 0, 1, .. The phase before the first
// counts as ended: waiting for 1 on a new barrier does not wait.
__device__ __forceinline__ void wait_for(barrier *b, unsigned phase) {
    unsigned ended = 0;
    while (!ended) {
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n"
                     "}"
                     : "=r"(ended)
                     : "r"(shared_address(b)), "r"(phase)
                     : "memory");
    }
}

// ---- bulk tensor copies ----

// Copies the box of `head` whose first element is (row, column) to shared memory, a multiple of
// 1024 bytes. Rows after the last one become 0. All bytes of the box arrive at the barrier.
__device__ __forceinline__ void start_box(void *to, const attention_map *map, int head, int row,
                                          int column, barrier *b) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3, %4}], [%5];"
                 :
                 : "r"(shared_address(to)), "l"(map), "r"(column), "r"(row), "r"(head),
                   "r"(shared_address(b))
                 : "memory");
}

// The boxes of a whole tile, `row` of `head` on. The barrier must expect them.
template <int width, int rows>
__device__ __forceinline__ void start_tile(tile<width, rows> *to, const attention_map *map,
                                           int head, int row, barrier *b) {
#pragma unroll
    for (int i = 0; i < width / BOX_COLUMNS; i++)
        start_box(to->box[i], map, head, row, i * BOX_COLUMNS, b);
}

// Host: describes Q, K and V of a task, in boxes of GROUP_ROWS queries and so many keys.
static inline int describe_inputs(const attention_task *a, int box_keys, attention_map *out_q,
                                  attention_map *out_k, attention_map *out_v) {
    const attention_boxes q = {a->d_q, a->heads, a->queries, a->width, GROUP_ROWS};
    const attention_boxes k = {a->d_k, a->heads, a->keys, a->width, box_keys};
    const attention_boxes v = {a->d_v, a->heads, a->keys, a->width, box_keys};
    int code = a->describe(&q, out_q);
    if (code == cudaSuccess) code = a->describe(&k, out_k);
    return code == cudaSuccess ? a->describe(&v, out_v) : code;
}

// ---- who waits for whom, who has which registers ----

// Waits until so many threads have come to barrier `number` (1 to 15), by this
// or the next function.
__device__ __forceinline__ void sync_named(int number, int threads) {
    asm volatile("bar.sync %0, %1;" : : "r"(number), "r"(threads) : "memory");
}

// Comes there, but does not wait.
__device__ __forceinline__ void arrive_named(int number, int threads) {
    asm volatile("bar.arrive %0, %1;" : : "r"(number), "r"(threads) : "memory");
}

// The registers that each thread of a warp group may use from now on, a multiple of 8; all four
// warps call it.
template <int registers> __device__ __forceinline__ void give_registers_back() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(registers));
}
template <int registers> __device__ __forceinline__ void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(registers));
}

// ---- products of warp groups: all threads of the group call these ----

// Rows of 128 bytes, swizzled as boxes are, as products name them: an address in units of 16 bytes,
// 1024 bytes from each 8 rows to the next, the swizzle. 16 columns further are 32 bytes: add 2.
__device__ __forceinline__ uint64_t name_rows(const void *first) {
    return (shared_address(first) & 0x3ffff) >> 4 | (uint64_t)1 << 16 |
           (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

// A tile whose rows lie along the depth of the product, as those of V do: also the distance of
// its boxes. 16 rows further are 2048 bytes: add 128.
template <int width, int rows>
__device__ __forceinline__ uint64_t name_depth_rows(const tile<width, rows> *t) {
    return (shared_address(t) & 0x3ffff) >> 4 | (uint64_t)(sizeof t->box[0] >> 4) << 16 |
           (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

// The compiler may move neither writes of these registers below this nor reads above it: it does
// not know that products read and write them while the program goes on.
template <int count> __device__ __forceinline__ void hold(float (&x)[count]) {
#pragma unroll
    for (int i = 0; i < count; i++) asm volatile("" : "+f"(x[i]) : : "memory");
}
template <int count> __device__ __forceinline__ void hold(unsigned (&x)[count]) {
#pragma unroll
    for (int i = 0; i < count; i++) asm volatile("" : "+r"(x[i]) : : "memory");
}

// Registers that the thread has written are ready for the products that follow.
__device__ __forceinline__ void begin_products() {
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}

// The products since the last call are a set of their own.
__device__ __forceinline__ void end_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}

// Waits until at most `pending` sets of products are not done: those that write x are.
template <int pending, int count> __device__ __forceinline__ void wait_products(float (&x)[count]) {
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(pending) : "memory");
    hold(x);
}

// wgmma: sum (64 x columns) = A (64 x 16) B (16 x columns), or with `adds` += that. a, b: rows of A
// and columns of B, as name_rows gives them. Warp w of the group has rows 16 w to 16 w + 15, and
// sum[4 i + 2 h + e] of a lane is element (lane / 4 + 8 h, 8 i + 2 (lane % 4) + e) of them.
template <int columns>
__device__ __forceinline__ void multiply_tiles(float (&sum)[columns / 2], uint64_t a, uint64_t b,
                                               bool adds);

// The same, with A in registers: a[h] of a lane has elements (lane / 4 + 8 h, 2 (lane % 4)) and the
// next one, a[2 + h] those 8 columns further. b: as name_depth_rows gives it.
template <int columns>
__device__ __forceinline__ void multiply_words(float (&sum)[columns / 2], const unsigned *a,
                                               uint64_t b, bool adds);

#define SUM_4(i)  "+f"(sum[i]), "+f"(sum[(i) + 1]), "+f"(sum[(i) + 2]), "+f"(sum[(i) + 3])
#define SUM_16(i) SUM_4(i), SUM_4((i) + 4), SUM_4((i) + 8), SUM_4((i) + 12)
#define SUMS_64   SUM_16(0), SUM_16(16)
#define SUMS_128  SUMS_64, SUM_16(32), SUM_16(48)
#define SUMS_160  SUMS_128, SUM_16(64)
#define NAMES_64                                                                                   \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "   \
    "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_128                                                                                  \
    NAMES_64                                                                                       \
    ", "                                                                                           \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "   \
    "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES_160                                                                                  \
    NAMES_128                                                                                      \
    ", "                                                                                           \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define MULTIPLY_TILES(columns, a_name, b_name, adds_name)                                         \
    template <>                                                                                    \
    __device__ __forceinline__ void multiply_tiles<columns>(float(&sum)[(columns) / 2],            \
                                                            uint64_t a, uint64_t b, bool adds) {   \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " adds_name ", 0;\n"                        \
                     "wgmma.mma_async.sync.aligned.m64n" #columns                                  \
                     "k16.f32.f16.f16 {" NAMES_##columns "}, " a_name ", " b_name                  \
                                                         ", p, 1, 1, 0, 0;\n}"                     \
                     : SUMS_##columns                                                              \
                     : "l"(a), "l"(b), "r"((int)adds));                                            \
    }
#define MULTIPLY_WORDS(columns, a_names, b_name, adds_name)                                        \
    template <>                                                                                    \
    __device__ __forceinline__ void multiply_words<columns>(                                       \
        float(&sum)[(columns) / 2], const unsigned *a, uint64_t b, bool adds) {                    \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " adds_name ", 0;\n"                        \
                     "wgmma.mma_async.sync.aligned.m64n" #columns                                  \
                     "k16.f32.f16.f16 {" NAMES_##columns "}, {" a_names "}, " b_name               \
                                                         ", p, 1, 1, 1;\n}"                        \
                     : SUMS_##columns                                                              \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)adds));        \
    }
MULTIPLY_TILES(128, "%64", "%65", "%66")
MULTIPLY_TILES(160, "%80", "%81", "%82")
MULTIPLY_WORDS(64, "%32, %33, %34, %35", "%36", "%37")
MULTIPLY_WORDS(128, "%64, %65, %66, %67", "%68", "%69")

// ---- the softmax of two rows per thread ----

// 2^x, with the hardware's approximation: 16 lanes of an SM in a cycle.
__device__ __forceinline__ float exp2_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

#define LOG2_E 1.44269504f // exp(x) is 2^(x LOG2_E)

// The number of keys that a query sees: the first ones. Below 1: none.
__device__ __forceinline__ int keys_seen(const shape &s, int query) {
    return s.causal ? min(query + s.keys - s.queries + 1, s.keys) : s.keys;
}

// The first of the two rows of Q that a thread has, in those of its group; the other is 8 further.
__device__ __forceinline__ int row_of_thread() {
    return threadIdx.x / WARP % 4 * 16 + threadIdx.x % WARP / 4;
}

// Scores of keys that the rows `query` and `query` + 8 do not see become minus infinity. first: the
// first key of the scores.
template <int keys>
__device__ __forceinline__ void hide(float (&x)[keys / 2], const shape &task, int query,
                                     int first) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
        int seen = keys_seen(task, query + 8 * h) - first - threadIdx.x % 4 * 2;
#pragma unroll
        for (int i = 0; i < keys / 8; i++)
#pragma unroll
            for (int e = 0; e < 2; e++)
                if (i * 8 + e >= seen) x[4 * i + 2 * h + e] = -CUDART_INF_F;
    }
}

// What a thread knows of its two rows so far: the largest score, and its part of the sum of the
// exponentials beside that: of the columns that it has. factor: what sums of before the last scores
// must be multiplied with.
struct rows {
    float most[2], sum[2], factor[2];
};

__device__ __forceinline__ rows no_rows() {
    return {{-CUDART_INF_F, -CUDART_INF_F}, {0, 0}, {0, 0}};
}

// One more block of scores: they become exponentials, and the two rows know them.
template <int width, int keys>
__device__ __forceinline__ void add_scores(float (&x)[keys / 2], rows *r) {
    const float scale = score_scale<width>() * LOG2_E;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float most = r->most[h], sum = 0;
#pragma unroll
        for (int i = 0; i < keys / 8; i++)
            most = fmaxf(most, fmaxf(x[4 * i + 2 * h], x[4 * i + 2 * h + 1]));
        most = largest_of_lanes<4>(most);                      // the four lanes of a row
        float base = most == -CUDART_INF_F ? 0 : most * scale; // no key so far: 2^-inf, not NaN
        r->factor[h] = exp2_fast(r->most[h] * scale - base);
        r->most[h] = most;
#pragma unroll
        for (int i = 0; i < keys / 8; i++)
#pragma unroll
            for (int e = 0; e < 2; e++) {
                float *score = &x[4 * i + 2 * h + e];
                *score = exp2_fast(fmaf(*score, scale, -base));
                sum += *score;
            }
        r->sum[h] = r->sum[h] * r->factor[h] + sum;
    }
}

// Exponentials as halves, for multiply_words: scores lie in registers as it wants them.
template <int keys>
__device__ __forceinline__ void to_halves(unsigned (&p)[keys / 4], const float (&x)[keys / 2]) {
#pragma unroll
    for (int i = 0; i < keys / 4; i++) p[i] = pack_halves(x[2 * i], x[2 * i + 1]);
}

// Multiplies sums of the two rows with their factors.
template <int count> __device__ __forceinline__ void rescale(float (&o)[count], const rows *r) {
#pragma unroll
    for (int i = 0; i < count; i++) o[i] *= r->factor[i / 2 % 2];
}

// The end: divides by the sums of the rows, of all four lanes. Rows that see no key become 0.
template <int count> __device__ __forceinline__ void divide(float (&o)[count], rows *r) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float sum = sum_of_lanes<4>(r->sum[h]);
        r->factor[h] = sum > 0 ? 1 / sum : 0;
    }
    rescale(o, r);
}

// Stores the two rows, as far as O reaches. o: that of the head, rows of `width`; query: the first.
template <int width>
__device__ __forceinline__ void store_rows(__half *o, int query, int queries,
                                           const float (&sum)[width / 2]) {
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
        for (int i = 0; i < width / 8; i++)
            if (query + 8 * h < queries)
                *(unsigned *)&o[(int64_t)(query + 8 * h) * width + 8 * i + threadIdx.x % 4 * 2] =
                    pack_halves(sum[4 * i + 2 * h], sum[4 * i + 2 * h + 1]);
}
