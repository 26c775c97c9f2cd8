// SPDX-License-Identifier: MIT
// Given to the steps of lab 06 that read and write 16 bytes at a time. A row begins anywhere: it
// has up to 3 elements before the first 16-byte boundary (the head), then vectors of 4, then up to
// 3 more (the tail). The at most 6 elements of head and tail are its edge: the first threads of the
// row's group have one of them each.
#pragma once

#include "softmax.h"

#include <cuda_runtime.h>

#define ALL_LANES 0xffffffffu

typedef struct softmax_row {
    const float4 *from; // [count4], 16-byte aligned
    float *to;          // [4 * count4], where the vectors' results go
    int count4;         // whole vectors
    bool wide;          // `to` is 16-byte aligned, too
    const float *edge;  // this thread's element of the edge, or NULL
    float *edge_to;     // where its result goes
} softmax_row;

// What thread t of the row's group, which has at least 6 threads, has to know of the row. A row
// beyond the last, at `rows` or above, is empty.
__device__ __forceinline__ softmax_row row_parts(const float *x, float *y, int64_t row,
                                                 int64_t rows, int columns, int t) {
    softmax_row parts = {NULL, NULL, 0, false, NULL, NULL};
    if (row < rows) {
        const float *from = x + row * columns;
        float *to = y + row * columns;
        int head = min((int)((0 - (uintptr_t)from / sizeof(float)) & 3), columns);
        parts.count4 = (columns - head) / 4;
        parts.from = (const float4 *)(from + head);
        parts.to = to + head;
        parts.wide = (uintptr_t)parts.to % sizeof(float4) == 0;
        int at = t < head ? t : t + 4 * parts.count4;
        if (at < columns && (t < head || t < columns - 4 * parts.count4)) {
            parts.edge = from + at;
            parts.edge_to = to + at;
        }
    }
    return parts;
}

// The largest value, or the sum, of `lanes` neighbouring lanes, in each of them. Every lane of the
// warp must call it: the mask names all 32.
template <int lanes> __device__ __forceinline__ float lanes_max(float value) {
#pragma unroll
    for (int distance = lanes / 2; distance >= 1; distance /= 2)
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, distance));
    return value;
}

template <int lanes> __device__ __forceinline__ float lanes_sum(float value) {
#pragma unroll
    for (int distance = lanes / 2; distance >= 1; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    return value;
}

// Vector i of a row's results.
__device__ __forceinline__ void store4(const softmax_row *row, int i, float4 v) {
    if (row->wide) {
        ((float4 *)row->to)[i] = v;
        return;
    }
    float *to = row->to + 4 * (int64_t)i;
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
}

__device__ __forceinline__ float max4(float4 v) {
    return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}

__device__ __forceinline__ float sum4(float4 v) {
    return (v.x + v.y) + (v.z + v.w);
}

__device__ __forceinline__ float4 scale4(float4 v, float factor) {
    return make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
}

__device__ __forceinline__ float4 all4(float value) {
    return make_float4(value, value, value, value);
}

__device__ __forceinline__ float4 exp4(float4 v, float most) {
    return make_float4(__expf(v.x - most), __expf(v.y - most), __expf(v.z - most),
                       __expf(v.w - most));
}

// exp(x - most) by the hardware's 2^x; results below 2^-126 are 0. The difference is formed first:
// x * log2(e) - most * log2(e) in one fused operation would be one instruction less, but wrong for
// large x, where both products are rounded to multiples of a large power of two.
__device__ __forceinline__ float exp_below(float x, float most) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"((x - most) * 1.44269504f));
    return power;
}

__device__ __forceinline__ float4 exp4_below(float4 v, float most) {
    return make_float4(exp_below(v.x, most), exp_below(v.y, most), exp_below(v.z, most),
                       exp_below(v.w, most));
}
