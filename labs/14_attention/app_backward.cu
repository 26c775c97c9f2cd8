// SPDX-License-Identifier: MIT
// The backward pass of attention as plain as it can be: see backward.h. A warp has one query or one
// key. Its partners, rows of the other kind, come one to each width / EACH lanes, of which each has
// EACH elements of both.
#include "attention.cuh"
#include "backward.h"

#define WARPS 8 // per block

struct sizes {
    int64_t heads, queries, keys;
    int width;
    bool causal;
    float scale; // 1 / sqrt(width)
};

// How many keys query i sees: the first ones.
static __device__ __forceinline__ int64_t seen(const sizes &s, int64_t i) {
    if (!s.causal) return s.keys;
    int64_t last = i + s.keys - s.queries;
    return last < 0 ? 0 : last + 1;
}

static __device__ __forceinline__ int64_t warp_index() {
    return (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP;
}

// The lanes of a warp as groups.
struct groups {
    int lanes, count; // of a group; groups
    int group, first; // that of this lane; its first element of a row
};

static __device__ __forceinline__ groups groups_of(const sizes &s) {
    const int lanes = s.width / EACH, lane = threadIdx.x % WARP;
    return groups{lanes, WARP / lanes, lane / lanes, lane % lanes * EACH};
}

// The lane's elements of a row; zeros unless it is there.
static __device__ __forceinline__ void load(const sizes &s, const groups &g, const __half *rows,
                                            int64_t row, bool there, float out[EACH]) {
    if (there)
        load_halves(rows + row * s.width + g.first, out);
    else
        for (int e = 0; e < EACH; e++) out[e] = 0.0f;
}

// Of two rows, for all lanes of the group.
static __device__ __forceinline__ float dot(const groups &g, const float a[EACH],
                                            const float b[EACH]) {
    float sum = 0.0f;
    for (int e = 0; e < EACH; e++) sum += a[e] * b[e];
    for (int step = g.lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    return sum;
}

// Adds the sums of all groups and stores them times scale, as row `row`.
static __device__ void store(const sizes &s, const groups &g, float sums[EACH], float scale,
                             __half *rows, int64_t row) {
    for (int e = 0; e < EACH; e++)
        for (int step = g.lanes; step < WARP; step *= 2)
            sums[e] += __shfl_xor_sync(~0u, sums[e], step);
    if (g.group > 0) return;
    for (int e = 0; e < EACH; e++)
        rows[row * s.width + g.first + e] = __float2half(scale * sums[e]);
}

// logs: [heads][queries]
__global__ void log_sums(sizes s, const __half *q, const __half *k, float *logs) {
    const int64_t row = warp_index();
    if (row >= s.heads * s.queries) return;
    const groups g = groups_of(s);
    const int64_t first = row / s.queries * s.keys, count = seen(s, row % s.queries);
    float largest = -INFINITY, sum = 0.0f, mine[EACH], key[EACH]; // of the group's keys
    load(s, g, q, row, true, mine);
    for (int64_t from = 0; from < count; from += g.count) {
        const int64_t j = from + g.group;
        load(s, g, k, first + j, j < count, key);
        const float x = s.scale * dot(g, mine, key), before = largest;
        if (j >= count) continue;
        largest = fmaxf(largest, x);
        sum = sum * expf(before - largest) + expf(x - largest);
    }
    const float most = largest_of_lanes(largest);
    sum = sum_of_lanes(largest == -INFINITY ? 0.0f : sum * expf(largest - most));
    if (threadIdx.x % WARP == 0) logs[row] = count > 0 ? most + logf(sum / g.lanes) : 0.0f;
}

// row_d: [heads][queries], D of backward.h.
__global__ void queries_backward(sizes s, const __half *q, const __half *k, const __half *v,
                                 const __half *o, const __half *d_o, const float *logs, __half *dq,
                                 float *row_d) {
    const int64_t row = warp_index();
    if (row >= s.heads * s.queries) return;
    const groups g = groups_of(s);
    const int64_t first = row / s.queries * s.keys, count = seen(s, row % s.queries);
    float my_q[EACH], my_do[EACH], key[EACH], value[EACH], sums[EACH] = {};
    load(s, g, q, row, true, my_q);
    load(s, g, d_o, row, true, my_do);
    load(s, g, o, row, true, value);
    const float d = dot(g, my_do, value);
    for (int64_t from = 0; from < count; from += g.count) {
        const int64_t j = from + g.group;
        load(s, g, k, first + j, j < count, key);
        load(s, g, v, first + j, j < count, value);
        const float score = s.scale * dot(g, my_q, key);
        const float p = j < count ? expf(score - logs[row]) : 0.0f;
        const float ds = p * (dot(g, my_do, value) - d);
        for (int e = 0; e < EACH; e++) sums[e] += ds * key[e];
    }
    store(s, g, sums, s.scale, dq, row);
    if (threadIdx.x % WARP == 0) row_d[row] = d;
}

__global__ void keys_backward(sizes s, const __half *q, const __half *k, const __half *v,
                              const __half *d_o, const float *logs, const float *row_d, __half *dk,
                              __half *dv) {
    const int64_t row = warp_index();
    if (row >= s.heads * s.keys) return;
    const groups g = groups_of(s);
    const int64_t first = row / s.keys * s.queries, j = row % s.keys;
    const int64_t from = s.causal ? j - s.keys + s.queries : 0; // the first that sees this key
    float my_k[EACH], my_v[EACH], query[EACH], of_o[EACH], sums_k[EACH] = {}, sums_v[EACH] = {};
    load(s, g, k, row, true, my_k);
    load(s, g, v, row, true, my_v);
    for (int64_t next = from < 0 ? 0 : from; next < s.queries; next += g.count) {
        const int64_t i = next + g.group;
        const bool there = i < s.queries;
        load(s, g, q, first + i, there, query);
        load(s, g, d_o, first + i, there, of_o);
        const float score = s.scale * dot(g, query, my_k), dp = dot(g, of_o, my_v);
        const float p = there ? expf(score - logs[first + i]) : 0.0f;
        const float ds = there ? p * (dp - row_d[first + i]) : 0.0f;
        for (int e = 0; e < EACH; e++) {
            sums_k[e] += ds * query[e];
            sums_v[e] += p * of_o[e];
        }
    }
    store(s, g, sums_k, s.scale, dk, row);
    store(s, g, sums_v, 1.0f, dv, row);
}

static bool allowed(const attention_backward_task *t) {
    return (t->width == 64 || t->width == 128) && t->heads >= 0 && t->queries >= 0 && t->keys >= 0;
}

static sizes sizes_of(const attention_backward_task *t) {
    return sizes{t->heads, t->queries,     t->keys,
                 t->width, t->causal != 0, t->width == 64 ? 0.125f : 0.08838834764831845f};
}

extern "C" int attention_log_sums(const attention_backward_task *t, float *d_log) {
    if (!allowed(t)) return cudaErrorInvalidValue;
    const int64_t rows = t->heads * t->queries;
    const __half *q = (const __half *)t->d_q, *k = (const __half *)t->d_k;
    if (rows > 0) log_sums<<<divide_up(rows, WARPS), WARPS * WARP>>>(sizes_of(t), q, k, d_log);
    return cudaGetLastError();
}

extern "C" int attention_backward_simple(const attention_backward_task *t) {
    if (!allowed(t)) return cudaErrorInvalidValue;
    const __half *q = (const __half *)t->d_q, *k = (const __half *)t->d_k,
                 *v = (const __half *)t->d_v, *d_o = (const __half *)t->d_do;
    const int64_t rows = t->heads * t->queries, key_rows = t->heads * t->keys;
    if (rows > 0)
        queries_backward<<<divide_up(rows, WARPS), WARPS * WARP>>>(
            sizes_of(t), q, k, v, (const __half *)t->d_o, d_o, t->d_log, (__half *)t->d_dq,
            t->d_row);
    if (key_rows > 0)
        keys_backward<<<divide_up(key_rows, WARPS), WARPS * WARP>>>(
            sizes_of(t), q, k, v, d_o, t->d_log, t->d_row, (__half *)t->d_dk, (__half *)t->d_dv);
    return cudaGetLastError();
}
