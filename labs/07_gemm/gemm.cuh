// SPDX-License-Identifier: MIT
// Given to lab 07's last step: products with one column, with at most GEMM_FLAT_MOST rows, or of
// depth 0 or 1. Memory bounds their rate, not arithmetic: the large matrix is read once, whatever
// is done with it. Matrix-vector products are labs of their own; this file is no model for them,
// but it comes near their rate.
#ifndef GEMM_CUH
#define GEMM_CUH

#include "gemm_rows.cuh"
#include "gemm_slim.cuh"

// ---- vectors ----

#define ROW_SHORT 512 // k, below which a block of 256 threads would have threads without work

// m is 1: a block has EACH columns of B, 4 apart, so that they begin alike between two 16-byte
// boundaries; its threads go along them, 4 elements at a time. What lies before the first boundary
// and behind the last one is added element by element.
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

#define COLUMN_THREADS 512
#define COLUMN_EACH    8 // loads that a thread has under way

// Words first .. first + 3 of the `all` that there are from d_a on; 0 for those that do not exist.
__device__ __forceinline__ float4 load_existing(const gemm_part *g, int64_t first, int64_t all) {
    if (first >= 0 && first + 4 <= all) {
        return __ldcs((const float4 *)(g->d_a + first));
    }
    float four[4];
#pragma unroll
    for (int v = 0; v < 4; v++) {
        four[v] = first + v >= 0 && first + v < all ? g->d_a[first + v] : 0.0f;
    }
    return make_float4(four[0], four[1], four[2], four[3]);
}

// n is 1: LANES lanes have four rows each, the block's others have other columns of A. SHIFTED:
// columns begin anywhere between two 16-byte boundaries. A thread's columns begin alike, as they
// are a multiple of 4 apart: it shifts its rows back to a boundary, and the block has 4 rows less.
template <int LANES, bool SHIFTED>
__global__ void __launch_bounds__(COLUMN_THREADS) one_column(const gemm_part g) {
    const int span = 4 * LANES, rows = SHIFTED ? span - 4 : span, lists = COLUMN_THREADS / LANES;
    __shared__ float of_list[lists][span];
    int t = threadIdx.x, list = t / LANES, begin, end = slim_range(&g, &begin), p = begin + list;
    int64_t i0 = (int64_t)blockIdx.x * rows, all = (g.k - 1) * g.ld + g.m, stride = lists * g.ld;
    int shift = SHIFTED ? (int)(((uintptr_t)g.d_a / 4 + (uint64_t)(p * g.ld + i0)) % 4) : 0;
    int row = t % LANES * 4 - shift; // the thread's first, of the block's
    int64_t at = p * g.ld + i0 + row;
    float sum[4] = {};
    for (; p < end && i0 + row < g.m; p += COLUMN_EACH * lists, at += COLUMN_EACH * stride) {
        float4 four[COLUMN_EACH];
        float factor[COLUMN_EACH];
        bool is_whole = p + (COLUMN_EACH - 1) * lists < end;
        if (is_whole && (!SHIFTED || (at >= 0 && at + (COLUMN_EACH - 1) * stride + 4 <= all))) {
#pragma unroll
            for (int u = 0; u < COLUMN_EACH; u++) {
                four[u] = __ldcs((const float4 *)(g.d_a + at + u * stride));
                factor[u] = __ldg(g.d_b + p + u * lists);
            }
        } else {
#pragma unroll
            for (int u = 0; u < COLUMN_EACH; u++) {
                bool is_there = p + u * lists < end;
                four[u] = load_existing(&g, at + u * stride, is_there ? all : 0);
                factor[u] = is_there ? __ldg(g.d_b + p + u * lists) : 0.0f;
            }
        }
#pragma unroll
        for (int u = 0; u < COLUMN_EACH; u++) {
            sum[0] = fmaf(four[u].x, factor[u], sum[0]);
            sum[1] = fmaf(four[u].y, factor[u], sum[1]);
            sum[2] = fmaf(four[u].z, factor[u], sum[2]);
            sum[3] = fmaf(four[u].w, factor[u], sum[3]);
        }
    }
#pragma unroll
    for (int v = 0; v < 4; v++) {
        if (row + v >= 0 && row + v < rows) {
            of_list[list][row + v] = sum[v];
        }
    }
    __syncthreads();
    slim_place mine = {t < rows && i0 + t < g.m ? i0 + t : -1, 0.0f};
#pragma unroll
    for (int l = 0; l < lists; l++) {
        mine.sum += of_list[l][t % rows];
    }
    finish_slim<1, COLUMN_THREADS>(&g, &mine);
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

template <int EACH, int THREADS> static int launch_row(const gemm_part *g, int sms) {
    int64_t columns = (g->n + 4 * EACH - 1) / (4 * EACH) * (4 * EACH);
    dim3 grid = slim_grid(g, columns, EACH, 4 * THREADS, 1024 / THREADS * sms);
    one_row<EACH, THREADS><<<grid, THREADS>>>(*g);
    return cudaGetLastError();
}

template <int LANES> static int launch_lanes(const gemm_part *g, int sms) {
    const int rows = is_aligned(g) ? 4 * LANES : 4 * LANES - 4;
    const int deep = COLUMN_EACH * COLUMN_THREADS / LANES; // p that a block has under way
    dim3 grid = slim_grid(g, g->m, rows, deep, 3 * sms / 4);
    (is_aligned(g) ? one_column<LANES, false>
                   : one_column<LANES, true>)<<<grid, COLUMN_THREADS>>>(*g);
    return cudaGetLastError();
}

// Few rows per block, so that k need not be cut; but more where there are enough of them.
static inline int launch_column(const gemm_part *g, int sms) {
    if (g->m > 6000) {
        return launch_lanes<32>(g, sms);
    }
    const int deep = COLUMN_EACH * COLUMN_THREADS / 8; // p that 8 lanes per 4 rows have under way
    if (g->m <= 1024 && g->k > deep && g->k <= deep + deep / 4) {
        return launch_lanes<4>(g, sms); // which have all under way, not a few in a second iteration
    }
    return g->m > 3600 && !is_aligned(g) ? launch_lanes<16>(g, sms) : launch_lanes<8>(g, sms);
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
    } else if (g->n == 1) {
        return launch_column(g, sms);
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

#endif
