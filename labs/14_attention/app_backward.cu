// SPDX-License-Identifier: MIT
// The backward pass of attention as plain as it can be: see backward.h. A warp has one query or one
// key; each lane has a partner of the other kind, 32 of them at a time.
#include "attention.cuh"
#include "backward.h"

#define WARPS 8 // per block
#define MOST  4 // elements of a row per lane, at most

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

// Of rows that begin at multiples of 16 bytes.
static __device__ float dot(const __half *a, const __half *b, int width) {
    float sum = 0.0f;
    for (int c = 0; c < width; c += 8) {
        const uint4 of_a = *(const uint4 *)(a + c), of_b = *(const uint4 *)(b + c);
        const __half2 *x = (const __half2 *)&of_a, *y = (const __half2 *)&of_b;
        for (int e = 0; e < 4; e++) {
            float2 u = __half22float2(x[e]), v = __half22float2(y[e]);
            sum += u.x * v.x + u.y * v.y;
        }
    }
    return sum;
}

__device__ __forceinline__ int64_t warp_index() {
    return (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP;
}

// A row as floats.
template <int WIDTH> static __device__ void load(const __half *row, float (&x)[WIDTH]) {
    for (int c = 0; c < WIDTH; c += 2) {
        const float2 pair = __half22float2(*(const __half2 *)(row + c));
        x[c] = pair.x;
        x[c + 1] = pair.y;
    }
}

template <int WIDTH> static __device__ float dot(const float (&a)[WIDTH], const __half *b) {
    float sum = 0.0f;
    for (int c = 0; c < WIDTH; c += 8) {
        const uint4 eight = *(const uint4 *)(b + c);
        const __half2 *pairs = (const __half2 *)&eight;
        for (int e = 0; e < 4; e++) {
            const float2 pair = __half22float2(pairs[e]);
            sum += a[c + 2 * e] * pair.x + a[c + 2 * e + 1] * pair.y;
        }
    }
    return sum;
}

// logs: [heads][queries]
template <int WIDTH>
__global__ void log_sums(sizes s, const __half *q, const __half *k, float *logs) {
    int64_t row = warp_index();
    if (row >= s.heads * s.queries) return;
    const __half *keys = k + row / s.queries * s.keys * WIDTH;
    int64_t count = seen(s, row % s.queries);
    float largest = -INFINITY, sum = 0.0f; // of the lane's keys
    float mine[WIDTH];
    load(q + row * WIDTH, mine);
    for (int64_t j = threadIdx.x % WARP; j < count; j += WARP) {
        float x = s.scale * dot(mine, keys + j * WIDTH);
        float before = largest;
        largest = fmaxf(largest, x);
        sum = sum * expf(before - largest) + expf(x - largest);
    }
    float most = largest_of_lanes(largest);
    sum = sum_of_lanes(largest == -INFINITY ? 0.0f : sum * expf(largest - most));
    if (threadIdx.x % WARP == 0) logs[row] = count > 0 ? most + logf(sum) : 0.0f;
}

// row_d: [heads][queries], D of backward.h.
__global__ void queries_backward(sizes s, const __half *q, const __half *k, const __half *v,
                                 const __half *o, const __half *d_o, const float *logs, __half *dq,
                                 float *row_d) {
    int64_t row = warp_index();
    if (row >= s.heads * s.queries) return;
    const int lane = threadIdx.x % WARP;
    const __half *my_q = q + row * s.width, *my_do = d_o + row * s.width;
    const int64_t first = row / s.queries * s.keys, count = seen(s, row % s.queries);
    float sums[MOST] = {};
    float mean = 0.0f;
    for (int c = lane; c < s.width; c += WARP)
        mean += __half2float(my_do[c]) * __half2float(o[row * s.width + c]);
    mean = sum_of_lanes(mean);
    for (int64_t from = 0; from < count; from += WARP) {
        float ds = 0.0f;
        if (from + lane < count) {
            const int64_t at = (first + from + lane) * s.width;
            float p = expf(s.scale * dot(my_q, k + at, s.width) - logs[row]);
            ds = p * (dot(my_do, v + at, s.width) - mean);
        }
        for (int l = 0; l < WARP && from + l < count; l++) {
            float of_key = __shfl_sync(~0u, ds, l);
            for (int r = 0; r < s.width / WARP; r++)
                sums[r] += of_key * __half2float(k[(first + from + l) * s.width + lane + WARP * r]);
        }
    }
    for (int r = 0; r < s.width / WARP; r++)
        dq[row * s.width + lane + WARP * r] = __float2half(s.scale * sums[r]);
    if (lane == 0) row_d[row] = mean;
}

__global__ void keys_backward(sizes s, const __half *q, const __half *k, const __half *v,
                              const __half *d_o, const float *logs, const float *row_d, __half *dk,
                              __half *dv) {
    int64_t row = warp_index();
    if (row >= s.heads * s.keys) return;
    const int lane = threadIdx.x % WARP;
    const __half *my_k = k + row * s.width, *my_v = v + row * s.width;
    const int64_t first = row / s.keys * s.queries, j = row % s.keys;
    int64_t from = s.causal ? j - s.keys + s.queries : 0; // the first query that sees this key
    float sums_k[MOST] = {}, sums_v[MOST] = {};
    for (from = from < 0 ? 0 : from; from < s.queries; from += WARP) {
        float p = 0.0f, ds = 0.0f;
        if (from + lane < s.queries) {
            const int64_t i = first + from + lane;
            p = expf(s.scale * dot(q + i * s.width, my_k, s.width) - logs[i]);
            ds = p * (dot(d_o + i * s.width, my_v, s.width) - row_d[i]);
        }
        for (int l = 0; l < WARP && from + l < s.queries; l++) {
            const int64_t at = (first + from + l) * s.width + lane;
            float of_p = __shfl_sync(~0u, p, l), of_ds = __shfl_sync(~0u, ds, l);
            for (int r = 0; r < s.width / WARP; r++) {
                sums_k[r] += of_ds * __half2float(q[at + WARP * r]);
                sums_v[r] += of_p * __half2float(d_o[at + WARP * r]);
            }
        }
    }
    for (int r = 0; r < s.width / WARP; r++) {
        dk[row * s.width + lane + WARP * r] = __float2half(s.scale * sums_k[r]);
        dv[row * s.width + lane + WARP * r] = __float2half(sums_v[r]);
    }
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
    if (rows > 0 && t->width == 64)
        log_sums<64><<<divide_up(rows, WARPS), WARPS * WARP>>>(sizes_of(t), q, k, d_log);
    else if (rows > 0)
        log_sums<128><<<divide_up(rows, WARPS), WARPS * WARP>>>(sizes_of(t), q, k, d_log);
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
