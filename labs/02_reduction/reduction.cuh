// SPDX-License-Identifier: MIT
// Given to all steps of lab 02: the operation, and where aligned elements begin.
#pragma once

#include "reduction.h"

#include <cuda_runtime.h>

// A template only to choose the operation at compile time: no test of `op` in inner loops.
template <int op> __device__ __forceinline__ float identity() {
    return op == REDUCTION_SUM ? 0.0f : -INFINITY;
}

template <int op> __device__ __forceinline__ float combine(float a, float b) {
    return op == REDUCTION_SUM ? a + b : fmaxf(a, b);
}

template <int op> __device__ __forceinline__ float combine4(float4 v) {
    return combine<op>(combine<op>(v.x, v.y), combine<op>(v.z, v.w));
}

// Elements before the first 16-byte boundary of x, at most 3 and at most n.
__device__ inline int64_t head_of(const float *x, int64_t n) {
    int64_t head = (int64_t)((0 - (uintptr_t)x / sizeof(float)) & 3);
    return head < n ? head : n;
}
