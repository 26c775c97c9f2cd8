// SPDX-License-Identifier: MIT
// Given to lab 07's last step: products with at most GEMM_THIN_MOST columns (gemm_columns.cuh),
// with at most GEMM_FLAT_MOST rows (gemm_rows.cuh, and one row here), or of depth 0 or 1. Memory
// bounds their rate, not arithmetic: the large matrix is read once, whatever is done with it.
// Matrix-vector products are labs of their own; this file is no model for them, but it comes near
// their rate.
#pragma once

#include "gemm_columns.cuh"
#include "gemm_rows.cuh"
#include "gemm_slim.cuh"

// ---- vectors ----

#define ROW_SHORT 512 // k, below which a block of 256 threads would have threads without work

// m is 1: a block has EACH columns of B, 4 apart, so that they begin alike between two 16-byte
// boundaries; its threads go along them, 4 elements at a time. What lies before the first boundary
// and after the last one is added element by element.
template <int EACH, int THREADS>
__global__ void __launch_bounds__(THREADS) one_row(const gemm_part g) {
    __shared__ float of_warp[THREADS / 32][EACH];
    int t = threadIdx.x, begin, end = slim_range(&g, &begin), length = end - begin;
    int64_t j0 = (int64_t)blockIdx.x / 4 * 4 * EACH + blockIdx.x % 4;
    length = j0 < g.n ? length : 0;
    int head = (int)((0 - ((uintptr_t)g.d_b / 4 + (uint64_t)(j0 * g.k + begin))) % 4);
    head = min(head, length);
    int quads = (length - head) / 4, rest = length - 4 * quads;
    const float *a = g.d_a + begin * g.ld, *b[EACH];
    float sum[EACH] = {};
#pragma unroll
    for (int v = 0; v < EACH; v++) { // beyond the edge: the first column once more
        b[v] = g.d_b + (j0 + 4 * v < g.n ? j0 + 4 * v : j0) * g.k + begin;
    }
    const int ahead = 4 / EACH;
#pragma unroll ahead
    for (int q = t; q < quads; q += THREADS) {
        int p = head + 4 * q;
        float4 four[EACH];
#pragma unroll
        for (int v = 0; v < EACH; v++) {
            four[v] = __ldcs((const float4 *)(b[v] + p));
        }
        float factor[4];
#pragma unroll
        for (int e = 0; e < 4; e++) {
            factor[e] = __ldg(a + (p + e) * g.ld);
        }
#pragma unroll
        for (int v = 0; v < EACH; v++) {
            sum[v] = fmaf(factor[0], four[v].x, sum[v]);
            sum[v] = fmaf(factor[1], four[v].y, sum[v]);
            sum[v] = fmaf(factor[2], four[v].z, sum[v]);
            sum[v] = fmaf(factor[3], four[v].w, sum[v]);
        }
    }
    int p = t < head ? t : t + 4 * quads;
#pragma unroll
    for (int v = 0; v < EACH; v++) {
        if (t < rest) {
            sum[v] = fmaf(a[p * g.ld], b[v][p], sum[v]);
        }
        for (int distance = 16; distance > 0; distance /= 2) {
            sum[v] += __shfl_xor_sync(0xFFFFFFFFu, sum[v], distance);
        }
        if (t % 32 == 0) {
            of_warp[t / 32][v] = sum[v];
        }
    }
    __syncthreads();
    slim_place mine = {-1, 0.0f}; // thread v keeps column j0 + 4 v
    if (t < EACH && j0 + 4 * t < g.n) {
        mine.at = (j0 + 4 * t) * g.ld;
        for (int w = 0; w < THREADS / 32; w++) {
            mine.sum += of_warp[w][t];
        }
    }
    finish_slim<1, THREADS>(&g, &mine);
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
    if (!is_last(&g, (int)gridDim.y)) return;
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

// ---- depth 0 or 1: C = alpha a b + beta D, bound by the writing of C; a thread has OUTER_EACH
// columns of one row ----

#define OUTER_EACH 16
__global__ void __launch_bounds__(SLIM_THREADS) outer(const gemm_part g) {
    int64_t i = (int64_t)blockIdx.x * SLIM_THREADS + threadIdx.x;
    int64_t j0 = (int64_t)blockIdx.y * OUTER_EACH;
    if (i >= g.m) return;
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

// A product whose rate memory bounds, not arithmetic.
static inline bool is_slim(const gemm_part *g) {
    return g->m <= GEMM_FLAT_MOST || g->n <= GEMM_THIN_MOST || g->k <= 1;
}

template <int EACH, int THREADS> static int launch_row(const gemm_part *g, int sms) {
    int64_t columns = (g->n + 4 * EACH - 1) / (4 * EACH) * (4 * EACH);
    dim3 grid = slim_grid(g, columns, EACH, 4 * THREADS, 1024 / THREADS * sms);
    one_row<EACH, THREADS><<<grid, THREADS>>>(*g);
    return cudaGetLastError();
}

// Launches one product that is_slim.
static inline int launch_slim(const gemm_part *g, int sms) {
    if (g->k <= 1) {
        dim3 grid((unsigned)((g->m + SLIM_THREADS - 1) / SLIM_THREADS),
                  (unsigned)((g->n + OUTER_EACH - 1) / OUTER_EACH));
        outer<<<grid, SLIM_THREADS>>>(*g);
    } else if (g->m <= DOTS_SIDE && g->n <= DOTS_SIDE) {
        int64_t blocks = (g->k + DOTS_EACH * SLIM_THREADS - 1) / (DOTS_EACH * SLIM_THREADS);
        dots<<<dim3(1, (unsigned)(blocks < sms ? blocks : sms)), SLIM_THREADS>>>(*g);
    } else if (g->n == 1) {
        return launch_column(g, sms);
    } else if (g->n <= GEMM_THIN_MOST && g->m > GEMM_FLAT_MOST) {
        return launch_columns(g, sms);
    } else if (g->m == 1) {
        // Where A's elements lie ld words apart, each of their loads should serve more columns.
        return g->ld > 1 || g->k < ROW_SHORT ? launch_row<4, 128>(g, sms)
                                             : launch_row<2, 256>(g, sms);
    } else {
        return g->m <= 4   ? launch_few_rows<4>(g, sms)
               : g->m <= 8 ? launch_few_rows<8>(g, sms)
                           : launch_few_rows<16>(g, sms);
    }
    return cudaGetLastError();
}
