// SPDX-License-Identifier: MIT
// Given to lab 14's last step: attention of at most 8 queries per head, of which a model has one
// when it writes; where 8 heads of queries share keys (grouped-query attention) the 8 rows are
// theirs. Nothing but the bytes of K and V counts, so each warp loads its keys straight into
// fragments of mma.sync, 16 bytes per lane: a sum's terms may come in any order, so columns and
// keys may change places, as long as they do so in both factors. No shared memory, no wait for
// others before the end.
#pragma once

#include "attention_any.cuh"

#define FEW       8  // queries at most
#define FEW_WARPS 4  // per block; their keys alternate
#define UNIT      16 // keys that a warp has at a time

#define SMALL_BYTES (256 << 20) // of K and V: four times the L2

// Of one warp. Lane l has of query l / 4 the largest score so far, and the sum of exponentials of
// its keys; of queries 2 (l % 4) and the next one the sums of 8 columns of each 64, as multiply()
// leaves them.
template <int width> struct few_rows { float most, sum, o[width / 64][4][4]; };

// small: K and V are not much larger than the L2. Then they should not push out what it holds, and
// are gone first; else they pass through it faster as they come.
template <bool small> __device__ __forceinline__ uint4 load_chunk(const __half *from) {
    return small ? __ldcs((const uint4 *)from) : __ldg((const uint4 *)from);
}

// Lane l: of keys l / 4 and 8 + l / 4 of a unit the chunks l % 4, 4 + l % 4, .. of 8 columns.
template <int width, bool small>
__device__ __forceinline__ void load_keys(uint4 (&k)[2][width / 32], const rows_of_head &h,
                                          int first) {
    const int lane = threadIdx.x % WARP;
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
        for (int c = 0; c < width / 32; c++)
            k[j][c] =
                load_chunk<small>(h.k + min(first + 8 * j + lane / 4, h.keys - 1) * (int64_t)width +
                                  (lane % 4 + 4 * c) * EACH);
}

// Lane l: of the keys whose scores it has, chunks l / 4 and 8 + l / 4.
template <int width, bool small>
__device__ __forceinline__ void load_values(uint4 (&v)[width / 64][4], const rows_of_head &h,
                                            int first) {
    const int lane = threadIdx.x % WARP;
#pragma unroll
    for (int e = 0; e < 4; e++)
#pragma unroll
        for (int b = 0; b < width / 64; b++)
            v[b][e] = load_chunk<small>(
                h.v + min(first + e / 2 * 8 + lane % 4 * 2 + e % 2, h.keys - 1) * (int64_t)width +
                b * 64 + lane / 4 * EACH);
}

// Scores of a unit: x[j][e] of query l / 4 and key 8 j + 2 (l % 4) + e. Rows 8 to 15 of the first
// factor are 0.
template <int width>
__device__ __forceinline__ void multiply_few(float (&x)[2][4], const uint4 (&q)[width / 32],
                                             const uint4 (&k)[2][width / 32]) {
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
        for (int c = 0; c < width / 32; c++) {
            const unsigned first[4] = {q[c].x, 0, q[c].y, 0}, second[4] = {q[c].z, 0, q[c].w, 0};
            multiply(x[j], first, k[j][c].x, k[j][c].y);
            multiply(x[j], second, k[j][c].z, k[j][c].w);
        }
}

// Scores become exponentials; where a maximum grows, what was added before is put right.
template <int width>
__device__ __forceinline__ void add_few_scores(few_rows<width> *r, float (&x)[2][4]) {
    const float scale = score_scale<width>() * LOG2_E;
    const float most = fmaxf(fmaxf(x[0][0], x[0][1]), fmaxf(x[1][0], x[1][1]));
    if (__any_sync(~0u, most > r->most)) {
        const float now = fmaxf(r->most, largest_of_lanes<4>(most));
        const float factor = now == -CUDART_INF_F ? 1 : exp2_fast((r->most - now) * scale);
        r->most = now;
        r->sum *= factor;
#pragma unroll
        for (int e = 0; e < 2; e++) { // queries of o
            const float of_query = __shfl_sync(~0u, factor, threadIdx.x % 4 * 8 + 4 * e);
#pragma unroll
            for (int i = 0; i < width / 16; i++)
                r->o[i / 4][i % 4][e] *= of_query, r->o[i / 4][i % 4][2 + e] *= of_query;
        }
    }
    const float base = r->most == -CUDART_INF_F ? 0 : r->most * scale;
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
            x[j][e] = exp2_fast(fmaf(x[j][e], scale, -base));
            r->sum += x[j][e];
        }
}

// o += values times exponentials: the first factor has a pair of columns of each lane's chunk in
// rows l / 4 and 8 + l / 4, and its keys in pairs.
template <int width>
__device__ __forceinline__ void add_few_values(few_rows<width> *r, const float (&x)[2][4],
                                               const uint4 (&v)[width / 64][4]) {
    const unsigned p0 = pack_halves(x[0][0], x[0][1]), p1 = pack_halves(x[1][0], x[1][1]);
#pragma unroll
    for (int b = 0; b < width / 64; b++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            unsigned word[4], a[4];
#pragma unroll
            for (int e = 0; e < 4; e++) word[e] = (&v[b][e].x)[i];
#pragma unroll
            for (int e = 0; e < 4; e++) // lower halves of two keys, upper halves of them
                a[e] = __byte_perm(word[e / 2 * 2], word[e / 2 * 2 + 1], e % 2 ? 0x7632 : 0x5410);
            multiply(r->o[b][i], a, p0, p1);
        }
}

// Block (head, part): the queries of a head and a part of its keys. rows: as merge() takes them.
template <int width, bool small>
__global__ void __launch_bounds__(FEW_WARPS *WARP, 3)
    few(const attention_task task, int parts, row_part<width> *rows) {
    const int head = blockIdx.x / parts, part = blockIdx.x % parts;
    const rows_of_head h = select_head<width>(task, head);
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP,
              units = (h.keys + UNIT - 1) / UNIT;
    const int seen = keys_seen(h, lane / 4), step = FEW_WARPS * UNIT;
    const int end = (int)((int64_t)units * (part + 1) / parts) * UNIT;
    int first = ((int)((int64_t)units * part / parts) + warp) * UNIT;
    __shared__ row_part<width> of_warps[FEW_WARPS][FEW];
    few_rows<width> r = {-CUDART_INF_F, 0, {}};
    uint4 q[width / 32] = {}, k[2][width / 32], v[width / 64][4];
#pragma unroll
    for (int c = 0; c < width / 32; c++)
        if (lane / 4 < h.queries)
            q[c] = *(const uint4 *)(h.q + lane / 4 * width + (lane % 4 + 4 * c) * EACH);
    if (first < end) load_keys<width, small>(k, h, first);
    for (; first < end; first += step) {
        float x[2][4] = {};
        load_values<width, small>(v, h, first);
        multiply_few<width>(x, q, k);
        if (first + step < end) load_keys<width, small>(k, h, first + step);
        if (first + UNIT > keys_seen(h, 0)) // the first query does not see all of them
            for (int i = 0; i < 4; i++)
                if (first + i / 2 * 8 + lane % 4 * 2 + i % 2 >= seen)
                    x[i / 2][i % 2] = -CUDART_INF_F;
        add_few_scores<width>(&r, x);
        add_few_values<width>(&r, x, v);
    }
    r.sum = sum_of_lanes<4>(r.sum);
    row_part<width> *mine = of_warps[warp];
    if (lane % 4 == 0) {
        mine[lane / 4].sum = r.sum;
        mine[lane / 4].most = r.most * score_scale<width>() * LOG2_E;
    }
#pragma unroll
    for (int i = 0; i < width / 16; i++)
#pragma unroll
        for (int e = 0; e < 2; e++)
            *(float2 *)&mine[lane % 4 * 2 + e].o[i / 4 * 64 + lane / 4 * EACH + i % 4 * 2] =
                make_float2(r.o[i / 4][i % 4][e], r.o[i / 4][i % 4][2 + e]);
    __syncthreads();
    row_part<width> *to = rows + ((int64_t)part * task.heads + head) * h.queries;
    for (int i = threadIdx.x; i < h.queries * width; i += FEW_WARPS * WARP) {
        const merged m = merge_parts<width>(&of_warps[0][i / width], FEW_WARPS, FEW, i % width);
        if (parts == 1) {
            h.o[i] = quotient(m);
        } else {
            to[i / width].o[i % width] = m.value;
            if (i % width == 0) to[i / width].sum = m.sum, to[i / width].most = m.most;
        }
    }
}

// Two blocks per SM, of 256 keys at least.
template <int width> static int launch_few(const attention_task *a, int processors) {
    const int64_t wanted = 2 * processors / a->heads, most = a->keys / 256;
    const int64_t parts = wanted < 1 || most < 1 ? 1 : wanted < most ? wanted : most;
    row_part<width> *rows = (row_part<width> *)a->d_workspace;
    const bool small = a->heads * a->keys * width * 2 * sizeof(__half) <= SMALL_BYTES;
    auto kernel = small ? few<width, true> : few<width, false>;
    kernel<<<(unsigned)(a->heads * parts), FEW_WARPS * WARP>>>(*a, (int)parts, rows);
    return parts == 1 ? cudaGetLastError() : launch_merge<width>(a, (int)parts, rows);
}
