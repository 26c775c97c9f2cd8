// SPDX-License-Identifier: MIT
// Given to lab 07's last step: what its kernels work on, and what the kernels for products without
// tiles (gemm.cuh, gemm_rows.cuh) share: parts of k, sums that blocks leave for each other, sums
// over lanes. No kernels here.
#pragma once

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
// them a thread, element e of thread t at [e * THREADS + t]. The last block to come adds, in
// the parts' order, and stores.
template <int COUNT, int THREADS = SLIM_THREADS>
__device__ __forceinline__ void finish_slim(const gemm_part *g, const slim_place *mine) {
    const int sums_per_block = COUNT * THREADS;
    int parts = (int)gridDim.y;
    float *sums = g->d_workspace + GEMM_MOST_BLOCKS + (int64_t)blockIdx.x * parts * sums_per_block +
                  threadIdx.x;
    if (parts > 1) {
#pragma unroll
        for (int e = 0; e < COUNT; e++) {
            sums[blockIdx.y * sums_per_block + e * THREADS] = mine[e].sum;
        }
        if (!is_last(g, parts)) return;
    }
#pragma unroll
    for (int e = 0; e < COUNT; e++) {
        float sum = parts > 1 ? 0.0f : mine[e].sum;
#pragma unroll 8
        for (int part = 0; part < (parts > 1 ? parts : 0); part++) {
            sum += __ldcg(sums + part * sums_per_block + e * THREADS);
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

// A grid of blocks with `each` rows or columns of `all`, and parts of k of at least `deep`,
// `blocks` of them if there is so much to do.
static inline dim3 slim_grid(const gemm_part *g, int64_t all, int64_t each, int64_t deep,
                             int64_t blocks) {
    int64_t groups = (all + each - 1) / each;
    int64_t parts = blocks / groups, most = g->k / deep < SLIM_PARTS ? g->k / deep : SLIM_PARTS;
    parts = parts < most ? parts : most;
    return dim3((unsigned)groups, (unsigned)(parts > 1 ? parts : 1));
}
