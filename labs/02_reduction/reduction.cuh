// SPDX-License-Identifier: MIT
// Given to all steps of lab 02: the operation, where aligned elements begin, and the host's part:
// what a call checks, rounds of launches, and how many blocks fill the device.
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

// A kernel that reduces x: [n] to a float a block, or to one.
typedef void reduction_kernel(const float *x, int64_t n, float *to);

// Whether a call keeps to the contract.
static inline bool reduction_call_is_valid(int64_t n, reduction_op op, size_t workspace_bytes) {
    return n >= 0 && (op == REDUCTION_SUM || op == REDUCTION_MAX) &&
           workspace_bytes >= reduction_workspace_bytes(n);
}

// Rounds of `sum` or `maximum`, blocks of `threads` with `elements` each, until one block is left,
// which writes the result. Only the end of a kernel is a barrier for all blocks, so every round is
// a launch. Partial results alternate between two arrays.
static inline int reduce_in_rounds(reduction_kernel *sum, reduction_kernel *maximum, int threads,
                                   int elements, const float *d_x, int64_t n, reduction_op op,
                                   float *d_result, void *d_workspace) {
    reduction_kernel *kernel = op == REDUCTION_SUM ? sum : maximum;
    float *d_partial = (float *)((char *)d_workspace + REDUCTION_COUNTER_BYTES);
    float *d_other = d_partial + (n + 255) / 256;
    const float *d_from = d_x;
    for (;;) {
        int64_t blocks = n > elements ? (n + elements - 1) / elements : 1; // also for no elements
        float *d_to = blocks == 1 ? d_result : d_partial;
        kernel<<<(unsigned)blocks, threads>>>(d_from, n, d_to);
        int code = cudaGetLastError();
        if (code != cudaSuccess || blocks == 1) return code;
        d_partial = d_other; // the next round reads d_to and writes the other array
        d_other = d_to;
        d_from = d_to;
        n = blocks;
    }
}

// Blocks for n elements, one for each `elements` begun, but not more than run at once, `per_sm` on
// an SM, and not more than 4,096, whose partial results fit every workspace.
static inline int choose_blocks(int64_t n, int elements, int per_sm, int *out_blocks) {
    int device = 0, sms = 0;
    int code = cudaGetDevice(&device);
    // Known to the runtime; cudaGetDeviceProperties would take longer than the kernel.
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    int64_t wanted = n / elements + 1, most = (int64_t)sms * per_sm;
    most = most < 4096 ? most : 4096;
    *out_blocks = (int)(wanted < most ? wanted : most);
    return code;
}
