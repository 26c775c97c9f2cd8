// SPDX-License-Identifier: MIT
// Given to lab 07's last step: products of a few columns, up to GEMM_THIN_MOST. A is what has to be
// read: every element once, for all columns.
#pragma once

#include "gemm_slim.cuh"

#define COLUMN_THREADS 512

// Words first .. first + 3 of the `all` that there are from d_a on; 0 for those that do not exist.
__device__ __forceinline__ float4 load_existing(const gemm_part *g, int64_t first, int64_t all) {
    if (first >= 0 && first + 4 <= all) return __ldcs((const float4 *)(g->d_a + first));
    float four[4];
#pragma unroll
    for (int v = 0; v < 4; v++) {
        four[v] = first + v >= 0 && first + v < all ? g->d_a[first + v] : 0.0f;
    }
    return make_float4(four[0], four[1], four[2], four[3]);
}

// How a block of few_columns is cut: LANES lanes with four rows each; the block's others, LISTS in
// all, have other columns of A.
template <int COLUMNS, int LANES> struct thin_shape {
    static const int LISTS = COLUMN_THREADS / LANES, SPAN = 4 * LANES;
    static const int EACH = COLUMNS > 2 ? 4 : 8; // columns of A that a thread has under way
};

// Adds the products of columns p, p + LISTS, .. of A: EACH of them, or those before `end`.
// at: of the thread's first row in column p; all: the words of A.
template <int COLUMNS, int LANES, bool SHIFTED>
__device__ __forceinline__ void multiply_thin(const gemm_part *g, const float *const *b, int p,
                                              int end, int64_t at, int64_t all,
                                              float sum[COLUMNS][4]) {
    typedef thin_shape<COLUMNS, LANES> shape;
    const int64_t stride = shape::LISTS * g->ld;
    bool is_whole = p + (shape::EACH - 1) * shape::LISTS < end;
    float4 four[shape::EACH];
    if (is_whole && (!SHIFTED || (at >= 0 && at + (shape::EACH - 1) * stride + 4 <= all))) {
#pragma unroll
        for (int u = 0; u < shape::EACH; u++) {
            four[u] = __ldcs((const float4 *)(g->d_a + at + u * stride));
        }
    } else {
#pragma unroll
        for (int u = 0; u < shape::EACH; u++) {
            four[u] = load_existing(g, at + u * stride, p + u * shape::LISTS < end ? all : 0);
        }
    }
    float factor[shape::EACH][COLUMNS];
#pragma unroll
    for (int u = 0; u < shape::EACH; u++) {
        bool is_there = is_whole || p + u * shape::LISTS < end;
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            factor[u][c] = is_there ? __ldg(b[c] + p + u * shape::LISTS) : 0.0f;
        }
    }
#pragma unroll
    for (int u = 0; u < shape::EACH; u++) {
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            sum[c][0] = fmaf(four[u].x, factor[u][c], sum[c][0]);
            sum[c][1] = fmaf(four[u].y, factor[u][c], sum[c][1]);
            sum[c][2] = fmaf(four[u].z, factor[u][c], sum[c][2]);
            sum[c][3] = fmaf(four[u].w, factor[u][c], sum[c][3]);
        }
    }
}

// n <= COLUMNS. SHIFTED: columns of A begin anywhere between two 16-byte boundaries. A thread's
// columns begin alike, as they are a multiple of 4 apart: it shifts its rows back to a boundary,
// and the block has 4 rows less.
template <int COLUMNS, int LANES, bool SHIFTED>
__global__ void __launch_bounds__(COLUMN_THREADS) few_columns(const gemm_part g) {
    typedef thin_shape<COLUMNS, LANES> shape;
    const int span = shape::SPAN, rows = SHIFTED ? span - 4 : span;
    __shared__ float of_list[shape::LISTS][COLUMNS][span];
    int t = threadIdx.x, list = t / LANES, begin, end = slim_range(&g, &begin), p = begin + list;
    int64_t i0 = (int64_t)blockIdx.x * rows, all = (g.k - 1) * g.ld + g.m;
    int shift = SHIFTED ? (int)(((uintptr_t)g.d_a / 4 + (uint64_t)(p * g.ld + i0)) % 4) : 0;
    int row = t % LANES * 4 - shift; // the thread's first, of the block's
    int64_t at = p * g.ld + i0 + row;
    float sum[COLUMNS][4] = {};
    const float *b[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) { // beyond the edge: the first column once more
        b[c] = g.d_b + (c < g.n ? c : 0) * g.k;
    }
    const int step = shape::EACH * shape::LISTS;
    for (; p < end && i0 + row < g.m; p += step, at += step * g.ld) {
        multiply_thin<COLUMNS, LANES, SHIFTED>(&g, b, p, end, at, all, sum);
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
#pragma unroll
        for (int v = 0; v < 4; v++) {
            if (row + v >= 0 && row + v < rows) {
                of_list[list][c][row + v] = sum[c][v];
            }
        }
    }
    __syncthreads();
    int j = t / span, i = t % span; // the thread's column and row, if the block has so many columns
    bool is_mine = j < COLUMNS && i < rows && j < g.n && i0 + i < g.m;
    slim_place mine = {is_mine ? j * g.ld + i0 + i : -1, 0.0f};
#pragma unroll
    for (int l = 0; l < shape::LISTS; l++) {
        mine.sum += of_list[l][j % COLUMNS][i % rows];
    }
    finish_slim<1, COLUMN_THREADS>(&g, &mine);
}

// ---- host ----

// Whether quads of rows can be copied and stored at once.
static inline bool is_aligned(const gemm_part *g) {
    return g->m % 4 == 0 && g->ld % 4 == 0 && (uintptr_t)g->d_a % 16 == 0 &&
           (uintptr_t)g->d_c % 16 == 0;
}

template <int COLUMNS, int LANES> static int launch_lanes(const gemm_part *g, int64_t blocks) {
    typedef thin_shape<COLUMNS, LANES> shape;
    const int rows = is_aligned(g) ? shape::SPAN : shape::SPAN - 4;
    const int deep = shape::EACH * shape::LISTS; // p that a block has under way
    dim3 grid = slim_grid(g, g->m, rows, deep, blocks);
    (is_aligned(g) ? few_columns<COLUMNS, LANES, false>
                   : few_columns<COLUMNS, LANES, true>)<<<grid, COLUMN_THREADS>>>(*g);
    return cudaGetLastError();
}

// Few rows per block, so that k need not be cut; but more where there are enough of them.
static inline int launch_column(const gemm_part *g, int sms) {
    const int64_t blocks = 3 * sms / 4;
    if (g->m > 6000) return launch_lanes<1, 32>(g, blocks);
    const int deep = 8 * COLUMN_THREADS / 8; // p that 8 lanes per 4 rows have under way
    if (g->m <= 1024 && g->k > deep && g->k <= deep + deep / 4) {
        return launch_lanes<1, 4>(g, blocks); // all under way, not a few in a second iteration
    }
    return g->m > 3600 && !is_aligned(g) ? launch_lanes<1, 16>(g, blocks)
                                         : launch_lanes<1, 8>(g, blocks);
}

// Two columns or more, up to GEMM_THIN_MOST.
static inline int launch_columns(const gemm_part *g, int sms) {
    return g->m > 1536 ? launch_lanes<GEMM_THIN_MOST, 32>(g, sms)
                       : launch_lanes<GEMM_THIN_MOST, 8>(g, sms);
}
