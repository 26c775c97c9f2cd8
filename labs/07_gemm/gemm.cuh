// SPDX-License-Identifier: MIT
// Given to lab 07's last step: products with one column, with at most GEMM_FLAT_MOST rows, or of
// depth 0 or 1. Memory bounds their rate, not arithmetic: the large matrix is read once, whatever
// is done with it. Matrix-vector products are labs of their own; this file is no model for them,
// but it comes near their rate.
#ifndef GEMM_CUH
#define GEMM_CUH

#include "gemm.h"

#include <cuda_runtime.h>

// A product, or a rectangle of C that is computed by itself: then m and n, and the beginnings of A,
// B, C and D, are the rectangle's own. The fields mean what they mean in gemm_task.
typedef struct gemm_part {
    int64_t m, n, k;
    const float *d_a, *d_b;
    float *d_c;
    float alpha, beta;
    const float *d_d;
    float *d_workspace;
    int64_t ld; // words from a column of A, C and D to the next: the rows of the whole matrices
} gemm_part;

static inline gemm_part gemm_whole(const gemm_task *task) {
    gemm_part whole = {task->m,     task->n,    task->k,   task->d_a,         task->d_b, task->d_c,
                       task->alpha, task->beta, task->d_d, task->d_workspace, task->m};
    return whole;
}

// Rows i .. i + m - 1 and columns j .. j + n - 1 of C.
static inline gemm_part gemm_part_of(const gemm_part *g, int64_t i, int64_t j, int64_t m,
                                     int64_t n) {
    gemm_part part = *g;
    part.m = m;
    part.n = n;
    part.d_a += i;
    part.d_b += j * g->k;
    part.d_c += j * g->ld + i;
    part.d_d = g->d_d == NULL ? NULL : g->d_d + j * g->ld + i;
    return part;
}

// An element of C, `at` words behind its beginning: sum + beta D.
__device__ __forceinline__ float with_d(const gemm_part *g, int64_t at, float sum) {
    return g->beta == 0.0f ? sum : fmaf(g->beta, g->d_d[at], sum);
}

#define SLIM_THREADS 256
#define SLIM_WARPS   (SLIM_THREADS / 32)
#define SLIM_DEPTH   64 // least part of k for which a block is worth while
#define SLIM_PARTS   64 // of k at most: one block adds them up

// One place of C, and the beginning of its sum.
typedef struct slim_place {
    int64_t at; // in C; below 0: no such element
    float sum;
} slim_place;

// ---- what the kernels share ----

// Whether the block is the last of `parts` to come here. What they wrote before is there for the
// last one to read.
__device__ __forceinline__ bool is_last(const gemm_part *g, int parts) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        int *arrived = (int *)g->d_workspace + blockIdx.x;
        last = atomicAdd(arrived, 1) == parts - 1;
        if (last) {
            atomicExch(arrived, 0); // for the next call
        }
        __threadfence();
    }
    __syncthreads();
    return last;
}

// Adds up the parts that the blocks (x, 0 .. gridDim.y - 1) have of their elements of C: COUNT of
// them a thread, element e of thread t at [e * SLIM_THREADS + t]. The last block to come adds, in
// the parts' order, and stores.
template <int COUNT>
__device__ __forceinline__ void finish_slim(const gemm_part *g, const slim_place *mine) {
    const int room = COUNT * SLIM_THREADS;
    int parts = (int)gridDim.y;
    float *sums =
        g->d_workspace + GEMM_MOST_BLOCKS + (int64_t)blockIdx.x * parts * room + threadIdx.x;
    if (parts > 1) {
#pragma unroll
        for (int e = 0; e < COUNT; e++) {
            sums[blockIdx.y * room + e * SLIM_THREADS] = mine[e].sum;
        }
        if (!is_last(g, parts)) {
            return;
        }
    }
#pragma unroll
    for (int e = 0; e < COUNT; e++) {
        float sum = parts > 1 ? 0.0f : mine[e].sum;
#pragma unroll 8
        for (int part = 0; part < (parts > 1 ? parts : 0); part++) {
            sum += __ldcg(sums + part * room + e * SLIM_THREADS);
        }
        if (mine[e].at >= 0) {
            g->d_c[mine[e].at] = with_d(g, mine[e].at, g->alpha * sum);
        }
    }
}

// The block's part of k: `out_begin` up to the result.
__device__ __forceinline__ int slim_range(const gemm_part *g, int *out_begin) {
    *out_begin = (int)(g->k * blockIdx.y / gridDim.y);
    return (int)(g->k * (blockIdx.y + 1) / gridDim.y);
}

// One round of adding up an array of 2 HALF sums over the lanes: those with the bit DISTANCE keep
// the upper half.
template <int DISTANCE, int HALF> __device__ __forceinline__ void halve(float *sum) {
    bool upper = threadIdx.x & DISTANCE;
#pragma unroll
    for (int e = 0; e < HALF; e++) {
        float give = upper ? sum[e] : sum[e + HALF], keep = upper ? sum[e + HALF] : sum[e];
        sum[e] = keep + __shfl_xor_sync(0xFFFFFFFFu, give, DISTANCE);
    }
}

// Of 32 COUNT sums that each lane has, lane l gets COUNT whole ones, from l * COUNT on.
template <int COUNT> __device__ __forceinline__ void add_lanes(float *sum) {
    halve<16, 16 * COUNT>(sum);
    halve<8, 8 * COUNT>(sum);
    halve<4, 4 * COUNT>(sum);
    halve<2, 2 * COUNT>(sum);
    halve<1, COUNT>(sum);
}

// ---- vectors ----

#define ROW_EACH    4                       // columns of a row per warp
#define ROW_COLUMNS (SLIM_WARPS * ROW_EACH) // a block

// m is 1: a warp has ROW_EACH columns of B, its lanes go along them.
__global__ void __launch_bounds__(SLIM_THREADS) one_row(const gemm_part g) {
    int lane = threadIdx.x % 32;
    int64_t j0 = (int64_t)blockIdx.x * ROW_COLUMNS + threadIdx.x / 32 * ROW_EACH;
    int begin, end = slim_range(&g, &begin);
    const float *b[ROW_EACH];
    float sum[ROW_EACH] = {};
#pragma unroll
    for (int v = 0; v < ROW_EACH; v++) {
        b[v] = g.d_b + min(j0 + v, g.n - 1) * g.k; // beyond the edge: the last column once more
    }
#pragma unroll 4
    for (int64_t p = begin + lane; p < end; p += 32) {
        float factor = g.d_a[p * g.ld];
#pragma unroll
        for (int v = 0; v < ROW_EACH; v++) {
            sum[v] = fmaf(factor, b[v][p], sum[v]);
        }
    }
    slim_place mine = {-1, 0.0f}; // lane v keeps column j0 + v
#pragma unroll
    for (int v = 0; v < ROW_EACH; v++) {
        for (int distance = 16; distance > 0; distance /= 2) {
            sum[v] += __shfl_xor_sync(0xFFFFFFFFu, sum[v], distance);
        }
        if (lane == v) {
            mine.at = j0 + v < g.n ? (j0 + v) * g.ld : -1;
            mine.sum = sum[v];
        }
    }
    finish_slim<1>(&g, &mine);
}

// n is 1: a thread has a row of A and of C.
__global__ void __launch_bounds__(SLIM_THREADS) one_column(const gemm_part g) {
    int64_t i = (int64_t)blockIdx.x * SLIM_THREADS + threadIdx.x;
    int begin, end = slim_range(&g, &begin);
    const float *a = g.d_a + min(i, g.m - 1); // beyond the edge: the last row once more
    float sum = 0.0f;
#pragma unroll 8
    for (int64_t p = begin; p < end; p++) {
        sum = fmaf(__ldg(a + p * g.ld), __ldg(g.d_b + p), sum);
    }
    slim_place mine = {i < g.m ? i : -1, sum};
    finish_slim<1>(&g, &mine);
}

#define QUAD_ROWS 128 // of a block: four per lane of a warp

// The same where quads of rows can be loaded: all warps have the same rows, each every
// SLIM_WARPS-th p of the block's part.
__global__ void __launch_bounds__(SLIM_THREADS) quads_of_column(const gemm_part g) {
    __shared__ __align__(16) float of_warp[SLIM_WARPS][QUAD_ROWS];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int64_t i0 = (int64_t)blockIdx.x * QUAD_ROWS;
    int begin, end = slim_range(&g, &begin);
    const float *a =
        g.d_a + min(i0 + 4 * lane, g.m - 4); // beyond the edge: the last ones once more
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 8
    for (int64_t p = begin + warp; p < end; p += SLIM_WARPS) {
        float4 rows = __ldg((const float4 *)(a + p * g.ld));
        float factor = __ldg(g.d_b + p);
        sum = make_float4(fmaf(rows.x, factor, sum.x), fmaf(rows.y, factor, sum.y),
                          fmaf(rows.z, factor, sum.z), fmaf(rows.w, factor, sum.w));
    }
    *(float4 *)&of_warp[warp][4 * lane] = sum;
    __syncthreads();
    slim_place mine = {t < QUAD_ROWS && i0 + t < g.m ? i0 + t : -1, 0.0f};
#pragma unroll
    for (int w = 0; w < SLIM_WARPS; w++) {
        mine.sum += of_warp[w][t % QUAD_ROWS];
    }
    finish_slim<1>(&g, &mine);
}

// ---- dot products ----

#define DOTS_SIDE 4 // rows and columns at most
#define DOTS_ALL  (DOTS_SIDE * DOTS_SIDE)
#define DOTS_EACH 4 // p a thread, before there are as many blocks as SMs

// Adds up what the block's warps have of element threadIdx.x < DOTS_ALL: row i % DOTS_SIDE, column
// i / DOTS_SIDE.
__device__ __forceinline__ float add_warps(const float of_warp[SLIM_WARPS][DOTS_ALL]) {
    float all = 0.0f;
#pragma unroll
    for (int w = 0; w < SLIM_WARPS; w++) {
        all += of_warp[w][threadIdx.x];
    }
    return all;
}

// m and n are at most DOTS_SIDE: all threads go along k.
__global__ void __launch_bounds__(SLIM_THREADS) dots(const gemm_part g) {
    __shared__ float of_warp[SLIM_WARPS][DOTS_ALL];
    int t = threadIdx.x, lane = t % 32;
    float sum[DOTS_ALL] = {};
#pragma unroll 4
    for (int64_t p = blockIdx.y * SLIM_THREADS + t; p < g.k; p += gridDim.y * SLIM_THREADS) {
        float row[DOTS_SIDE], column[DOTS_SIDE];
#pragma unroll
        for (int u = 0; u < DOTS_SIDE; u++) {
            row[u] = u < g.m ? g.d_a[p * g.ld + u] : 0.0f;
            column[u] = u < g.n ? g.d_b[u * g.k + p] : 0.0f;
        }
#pragma unroll
        for (int e = 0; e < DOTS_ALL; e++) {
            sum[e] = fmaf(row[e % DOTS_SIDE], column[e / DOTS_SIDE], sum[e]);
        }
    }
    halve<16, 8>(sum); // of 16 elements per lane keeps 8, 4, 2 and one,
    halve<8, 4>(sum);
    halve<4, 2>(sum);
    halve<2, 1>(sum);
    sum[0] += __shfl_xor_sync(0xFFFFFFFFu, sum[0], 1); // which its neighbour has as well
    of_warp[t / 32][lane / 2] = sum[0];
    __syncthreads();
    float *parts = g.d_workspace + GEMM_MOST_BLOCKS;
    if (t < DOTS_ALL) {
        parts[blockIdx.y * DOTS_ALL + t] = add_warps(of_warp);
    }
    if (!is_last(&g, (int)gridDim.y)) {
        return;
    }
    float all = 0.0f; // SLIM_THREADS / DOTS_ALL threads per element
#pragma unroll 8
    for (int part = t / DOTS_ALL; part < gridDim.y; part += SLIM_THREADS / DOTS_ALL) {
        all += __ldcg(parts + part * DOTS_ALL + t % DOTS_ALL);
    }
    all += __shfl_xor_sync(0xFFFFFFFFu, all, DOTS_ALL);
    if (lane < DOTS_ALL) {
        of_warp[t / 32][lane] = all;
    }
    __syncthreads();
    if (t % DOTS_SIDE < g.m && t / DOTS_SIDE < g.n) {
        int64_t at = t / DOTS_SIDE * g.ld + t % DOTS_SIDE;
        g.d_c[at] = with_d(&g, at, g.alpha * add_warps(of_warp));
    }
}

// ---- few rows: lanes go along k, a warp has FLAT_EACH columns ----
//
// B is what has to be read. A thread copies its elements into places of shared memory that are its
// own, FLAT_RING - 1 turns before it multiplies them, so that nobody else waits; A comes in chunks
// for all warps of the block.

#define FLAT_EACH    8
#define FLAT_COLUMNS (SLIM_WARPS * FLAT_EACH) // a block
#define FLAT_RUN                                                                                   \
    2 // pieces of 32 p a turn: 256 bytes of a column, which memory likes better than 128
#define FLAT_DEEP  (32 * FLAT_RUN)
#define FLAT_RING  4   // turns that are under way or being multiplied
#define FLAT_CHUNK 512 // p of A
#define FLAT_TURN  (FLAT_RUN * FLAT_EACH * SLIM_THREADS) // words: [piece][column][thread]

template <int ROWS> struct flat_shape {
    static const int PITCH = FLAT_CHUNK + 32 / ROWS; // quads: stores of 32 lanes hit all banks
    static const int CHUNK = ROWS * PITCH;           // words: [row / 4][p] quads of rows
    static const int BYTES = 4 * (2 * CHUNK + FLAT_RING * FLAT_TURN);
    static const int BLOCKS_AN_SM = ROWS > 8 ? 1 : 2;
};

// Starts the copy of one element, or of a zero.
__device__ __forceinline__ void copy_or_zero(unsigned to, const float *from, bool is_there) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from),
                 "r"(is_there ? 4 : 0)
                 : "memory");
}

// Starts the copies of A's columns p0 .. p0 + FLAT_CHUNK - 1.
template <int ROWS>
__device__ __forceinline__ void copy_chunk(const gemm_part *g, unsigned to, int p0, int end) {
#pragma unroll 4
    for (int e = threadIdx.x; e < ROWS * FLAT_CHUNK; e += SLIM_THREADS) {
        int u = e % ROWS, p = e / ROWS;
        bool is_there = u < g->m && p0 + p < end;
        const float *from = g->d_a + (is_there ? (p0 + p) * g->ld + u : 0);
        copy_or_zero(to + ((u / 4 * flat_shape<ROWS>::PITCH + p) * 4 + u % 4) * 4, from, is_there);
    }
}

// Starts the copies of the thread's elements of a turn, rows p, p + 32, .. of the columns from j0
// on, and ends a group.
__device__ __forceinline__ void copy_turn(const gemm_part *g, const float *const *b, unsigned to,
                                          int64_t j0, int p, int end) {
#pragma unroll
    for (int v = 0; v < FLAT_EACH; v++) {
#pragma unroll
        for (int r = 0; r < FLAT_RUN; r++) {
            bool is_there = j0 + v < g->n && p + 32 * r < end;
            copy_or_zero(to + (r * FLAT_EACH + v) * SLIM_THREADS * 4,
                         b[v] + (is_there ? p + 32 * r : 0), is_there);
        }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// a: the lane's quads of A; b: its elements of B. sum: [column][row]
template <int ROWS>
__device__ __forceinline__ void multiply_turn(const float4 *a, const float *b, float *sum) {
#pragma unroll
    for (int r = 0; r < FLAT_RUN; r++) {
        float rows[ROWS];
#pragma unroll
        for (int q = 0; q < ROWS / 4; q++) {
            *(float4 *)(rows + 4 * q) = a[q * flat_shape<ROWS>::PITCH + 32 * r];
        }
#pragma unroll
        for (int v = 0; v < FLAT_EACH; v++) {
            float column = b[(r * FLAT_EACH + v) * SLIM_THREADS];
#pragma unroll
            for (int u = 0; u < ROWS; u++) {
                sum[v * ROWS + u] = fmaf(rows[u], column, sum[v * ROWS + u]);
            }
        }
    }
}

// m <= ROWS. The chunk of a turn was begun with the turn FLAT_RING - 1 <= FLAT_CHUNK / FLAT_DEEP
// before it, or earlier.
template <int ROWS>
__global__ void __launch_bounds__(SLIM_THREADS, flat_shape<ROWS>::BLOCKS_AN_SM)
    few_rows(const gemm_part g) {
    typedef flat_shape<ROWS> shape;
    const int turns_a_chunk = FLAT_CHUNK / FLAT_DEEP, count = FLAT_EACH * ROWS / 32;
    extern __shared__ __align__(16) float room[]; // two chunks, then the ring
    float *ring = room + 2 * shape::CHUNK + threadIdx.x;
    unsigned chunks = (unsigned)__cvta_generic_to_shared(room);
    unsigned to = (unsigned)__cvta_generic_to_shared(ring);
    int lane = threadIdx.x % 32;
    int64_t j0 = (int64_t)blockIdx.x * FLAT_COLUMNS + threadIdx.x / 32 * FLAT_EACH;
    int begin, end = slim_range(&g, &begin);
    const float *b[FLAT_EACH];
    float sum[FLAT_EACH * ROWS] = {};
#pragma unroll
    for (int v = 0; v < FLAT_EACH; v++) {
        b[v] = g.d_b + min(j0 + v, g.n - 1) * g.k;
    }
    copy_chunk<ROWS>(&g, chunks, begin, end);
#pragma unroll
    for (int turn = 0; turn < FLAT_RING - 1; turn++) {
        copy_turn(&g, b, to + turn * FLAT_TURN * 4, j0, begin + turn * FLAT_DEEP + lane, end);
    }
    int turns = (end - begin + FLAT_DEEP - 1) / FLAT_DEEP, slot = 0;
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(FLAT_RING - 2) : "memory");
        int chunk = turn / turns_a_chunk, in_chunk = turn % turns_a_chunk;
        if (in_chunk == 0) { // this chunk is there for all, and the one before it has been read
            __syncthreads();
            copy_chunk<ROWS>(&g, chunks + (chunk + 1) % 2 * shape::CHUNK * 4,
                             begin + (chunk + 1) * FLAT_CHUNK, end);
        }
        int last = slot == 0 ? FLAT_RING - 1 : slot - 1;
        copy_turn(&g, b, to + last * FLAT_TURN * 4, j0,
                  begin + (turn + FLAT_RING - 1) * FLAT_DEEP + lane, end);
        multiply_turn<ROWS>((const float4 *)(room + chunk % 2 * shape::CHUNK) +
                                in_chunk * FLAT_DEEP + lane,
                            ring + slot * FLAT_TURN, sum);
        slot = slot + 1 == FLAT_RING ? 0 : slot + 1;
    }
    add_lanes<count>(sum);
    slim_place mine[count];
#pragma unroll
    for (int e = 0; e < count; e++) {
        int u = (lane * count + e) % ROWS;
        int64_t j = j0 + (lane * count + e) / ROWS;
        mine[e].at = u < g.m && j < g.n ? j * g.ld + u : -1;
        mine[e].sum = sum[e];
    }
    finish_slim<count>(&g, mine);
}

// ---- depth 0 or 1: C = alpha a b + beta D, bound by the writing of C; a thread has OUTER_EACH
// columns of one row ----

#define OUTER_EACH 16
__global__ void __launch_bounds__(SLIM_THREADS) outer(const gemm_part g) {
    int64_t i = (int64_t)blockIdx.x * SLIM_THREADS + threadIdx.x;
    int64_t j0 = (int64_t)blockIdx.y * OUTER_EACH;
    if (i >= g.m) {
        return;
    }
    float factor = g.k == 0 ? 0.0f : g.alpha * g.d_a[i];
#pragma unroll
    for (int v = 0; v < OUTER_EACH; v++) {
        if (j0 + v < g.n) {
            int64_t at = (j0 + v) * g.ld + i;
            g.d_c[at] = with_d(&g, at, g.k == 0 ? 0.0f : factor * g.d_b[j0 + v]);
        }
    }
}

// ---- host ----

// Whether quads of rows can be copied and stored at once.
static inline bool is_aligned(const gemm_part *g) {
    return g->m % 4 == 0 && g->ld % 4 == 0 && (uintptr_t)g->d_a % 16 == 0 &&
           (uintptr_t)g->d_c % 16 == 0;
}

// A product whose rate memory bounds, not arithmetic.
static inline bool is_slim(const gemm_part *g) {
    return g->m <= GEMM_FLAT_MOST || g->n == 1 || g->k <= 1;
}

// A grid of blocks with `each` rows or columns of `all`, and parts of k of at least `deep`,
// `blocks` of them if there is so much to do.
static inline dim3 slim_grid(const gemm_part *g, int64_t all, int64_t each, int64_t deep,
                             int64_t blocks) {
    int64_t groups = (all + each - 1) / each;
    int64_t parts = blocks / groups, most = g->k / deep < SLIM_PARTS ? g->k / deep : SLIM_PARTS;
    parts = parts < most ? parts : most;
    return dim3((unsigned)groups, (unsigned)(parts > 1 ? parts : 1));
}

template <int ROWS> static int launch_few_rows(const gemm_part *g, int sms) {
    typedef flat_shape<ROWS> shape;
    cudaError_t code = cudaFuncSetAttribute(
        few_rows<ROWS>, cudaFuncAttributeMaxDynamicSharedMemorySize, shape::BYTES);
    if (code == cudaSuccess) {
        dim3 grid = slim_grid(g, g->n, FLAT_COLUMNS, FLAT_CHUNK, shape::BLOCKS_AN_SM * sms);
        few_rows<ROWS><<<grid, SLIM_THREADS, shape::BYTES>>>(*g);
        code = cudaGetLastError();
    }
    return code;
}

// Launches a product that is_slim.
static inline int launch_slim(const gemm_part *g, int sms) {
    if (g->k <= 1) {
        dim3 grid((unsigned)((g->m + SLIM_THREADS - 1) / SLIM_THREADS),
                  (unsigned)((g->n + OUTER_EACH - 1) / OUTER_EACH));
        outer<<<grid, SLIM_THREADS>>>(*g);
    } else if (g->m <= DOTS_SIDE && g->n <= DOTS_SIDE) {
        int64_t blocks = (g->k + DOTS_EACH * SLIM_THREADS - 1) / (DOTS_EACH * SLIM_THREADS);
        dots<<<dim3(1, (unsigned)(blocks < sms ? blocks : sms)), SLIM_THREADS>>>(*g);
    } else if (g->n == 1 && is_aligned(g)) {
        dim3 grid = slim_grid(g, g->m, QUAD_ROWS, SLIM_DEPTH, GEMM_MOST_BLOCKS);
        quads_of_column<<<grid, SLIM_THREADS>>>(*g);
    } else if (g->n == 1) {
        dim3 grid = slim_grid(g, g->m, SLIM_THREADS, SLIM_DEPTH, GEMM_MOST_BLOCKS);
        one_column<<<grid, SLIM_THREADS>>>(*g);
    } else if (g->m == 1) {
        dim3 grid = slim_grid(g, g->n, ROW_COLUMNS, SLIM_DEPTH, GEMM_MOST_BLOCKS);
        one_row<<<grid, SLIM_THREADS>>>(*g);
    } else {
        return g->m <= 4   ? launch_few_rows<4>(g, sms)
               : g->m <= 8 ? launch_few_rows<8>(g, sms)
                           : launch_few_rows<16>(g, sms);
    }
    return cudaGetLastError();
}

#endif
