// SPDX-License-Identifier: MIT
// Given to lab 07's last step: products with at most GEMM_SLIM_MOST rows or columns, or of depth 1. Memory bounds their rate,
// not arithmetic: every element of the large matrix is used once to four times, so nothing is gained by a tile of it.
// Matrix-vector products are labs of their own; this file is no model for them, but it comes near their rate.
#ifndef GEMM_CUH
#define GEMM_CUH

#include "gemm.h"

#include <cuda_runtime.h>

// A product, or a rectangle of C that is computed by itself: then m and n, and the beginnings of A, B, C and D, are the
// rectangle's own.
struct gemm_part : gemm_task {
    int64_t ld; // words from a column of A, C and D to the next: the rows of the whole matrices
};

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
#define FLAT_EACH    4                               // columns of a flat product a warp
#define FLAT_COLUMNS (SLIM_THREADS / 32 * FLAT_EACH) // a block
#define SLIM_SUMS    (SLIM_THREADS * GEMM_SLIM_MOST) // places for a block's sums in the workspace
#define SLIM_DEPTH   64 // least part of k for which a block is worth while
#define SLIM_PARTS   64 // of k at most: one block adds them up

// One place of C, and the beginning of its sum.
typedef struct slim_place {
    int64_t at; // in C; below 0: no such element
    float sum;
} slim_place;

// Adds up the parts that the blocks (x, 0 .. gridDim.y - 1) have of their elements of C: `count` of them a thread, element
// e of thread t at [e * SLIM_THREADS + t]. The last block to come adds, in the parts' order, and stores.
__device__ __forceinline__ void finish_slim(const gemm_part *g, const slim_place *mine, int count) {
    __shared__ bool last;
    float *sums = g->d_workspace + GEMM_MOST_BLOCKS + (int64_t)blockIdx.x * gridDim.y * SLIM_SUMS +
                  threadIdx.x;
    int parts = (int)gridDim.y;
    if (parts > 1) {
        for (int e = 0; e < count; e++) {
            sums[blockIdx.y * SLIM_SUMS + e * SLIM_THREADS] = mine[e].sum;
        }
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
        if (!last) {
            return;
        }
    }
    for (int e = 0; e < count; e++) {
        float sum = parts > 1 ? 0.0f : mine[e].sum;
#pragma unroll 8
        for (int part = 0; part < (parts > 1 ? parts : 0); part++) {
            sum += __ldcg(sums + part * SLIM_SUMS + e * SLIM_THREADS);
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

// m <= ROWS: a warp has FLAT_EACH columns of B, its lanes go along them.
template <int ROWS> __global__ void __launch_bounds__(SLIM_THREADS) flat(const gemm_part g) {
    int lane = threadIdx.x % 32;
    int64_t j0 = (int64_t)blockIdx.x * FLAT_COLUMNS + threadIdx.x / 32 * FLAT_EACH;
    int begin, end = slim_range(&g, &begin);
    const float *b[FLAT_EACH];
    float sum[FLAT_EACH][ROWS] = {};
#pragma unroll
    for (int v = 0; v < FLAT_EACH; v++) {
        b[v] = g.d_b + min(j0 + v, g.n - 1) * g.k; // beyond the edge: the last column once more
    }
#pragma unroll 4
    for (int64_t p = begin + lane; p < end; p += 32) {
#pragma unroll
        for (int u = 0; u < ROWS; u++) {
            float factor = g.d_a[p * g.ld + min((int64_t)u, g.m - 1)];
#pragma unroll
            for (int v = 0; v < FLAT_EACH; v++) {
                sum[v][u] = fmaf(factor, b[v][p], sum[v][u]);
            }
        }
    }
    slim_place mine = {-1, 0.0f}; // lane v * ROWS + u keeps element (u, j0 + v)
#pragma unroll
    for (int v = 0; v < FLAT_EACH; v++) {
#pragma unroll
        for (int u = 0; u < ROWS; u++) {
            for (int distance = 16; distance > 0; distance /= 2) {
                sum[v][u] += __shfl_xor_sync(0xFFFFFFFFu, sum[v][u], distance);
            }
            if (lane == v * ROWS + u) {
                mine.at = u < g.m && j0 + v < g.n ? (j0 + v) * g.ld + u : -1;
                mine.sum = sum[v][u];
            }
        }
    }
    finish_slim(&g, &mine, 1);
}

// n <= COLUMNS: a thread has a row of A and of C.
template <int COLUMNS> __global__ void __launch_bounds__(SLIM_THREADS) thin(const gemm_part g) {
    int64_t i = (int64_t)blockIdx.x * SLIM_THREADS + threadIdx.x;
    int begin, end = slim_range(&g, &begin);
    const float *a = g.d_a + min(i, g.m - 1); // beyond the edge: the last row once more
    float sum[COLUMNS] = {};
#pragma unroll 8
    for (int64_t p = begin; p < end; p++) {
        float factor = a[p * g.ld];
#pragma unroll
        for (int v = 0; v < COLUMNS; v++) {
            sum[v] = fmaf(factor, g.d_b[min((int64_t)v, g.n - 1) * g.k + p], sum[v]);
        }
    }
    slim_place mine[COLUMNS];
#pragma unroll
    for (int v = 0; v < COLUMNS; v++) {
        mine[v].at = i < g.m && v < g.n ? v * g.ld + i : -1;
        mine[v].sum = sum[v];
    }
    finish_slim(&g, mine, COLUMNS);
}

// k = 1: C = alpha a b + beta D, bound by the writing of C. A thread has OUTER_EACH columns of one row.
#define OUTER_EACH 16
__global__ void __launch_bounds__(SLIM_THREADS) outer(const gemm_part g) {
    int64_t i = (int64_t)blockIdx.x * SLIM_THREADS + threadIdx.x;
    int64_t j0 = (int64_t)blockIdx.y * OUTER_EACH;
    if (i >= g.m) {
        return;
    }
    float factor = g.alpha * g.d_a[i];
#pragma unroll
    for (int v = 0; v < OUTER_EACH; v++) {
        if (j0 + v < g.n) {
            int64_t at = (j0 + v) * g.ld + i;
            g.d_c[at] = with_d(&g, at, factor * g.d_b[j0 + v]);
        }
    }
}

typedef void slim_kernel(const gemm_part);

// A product whose rate memory bounds, not arithmetic.
static inline bool is_slim(const gemm_part *g) {
    return g->m <= GEMM_SLIM_MOST || g->n <= GEMM_SLIM_MOST;
}

// Launches a slim product, or one of depth 1; false: leave it to the tiles.
static inline bool launch_slim(const gemm_part *task) {
    dim3 grid(1, 1);
    if (task->k == 1 && task->m >= SLIM_THREADS / 2 && task->n <= 65535 * OUTER_EACH) {
        grid.x = (unsigned)((task->m + SLIM_THREADS - 1) / SLIM_THREADS);
        grid.y = (unsigned)((task->n + OUTER_EACH - 1) / OUTER_EACH);
        outer<<<grid, SLIM_THREADS>>>(*task);
        return true;
    }
    if (!is_slim(task)) {
        return false;
    }
    bool is_flat = task->m <= task->n;
    int64_t along = is_flat ? task->n : task->m;
    int64_t each = is_flat ? FLAT_COLUMNS : SLIM_THREADS;
    int64_t groups = (along + each - 1) / each;
    int64_t parts = GEMM_MOST_BLOCKS / groups; // enough blocks to fill the SMs, four on each
    int64_t most = task->k / SLIM_DEPTH < SLIM_PARTS ? task->k / SLIM_DEPTH : SLIM_PARTS;
    parts = parts < most ? parts : most;
    grid.x = (unsigned)groups;
    grid.y = (unsigned)(parts > 1 ? parts : 1);
    slim_kernel *chosen = is_flat ? (task->m == 1 ? flat<1> : flat<GEMM_SLIM_MOST>)
                                  : (task->n == 1 ? thin<1> : thin<GEMM_SLIM_MOST>);
    chosen<<<grid, SLIM_THREADS>>>(*task);
    return true;
}

#endif
