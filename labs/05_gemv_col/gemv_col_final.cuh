// SPDX-License-Identifier: MIT
// Given to lab 05's last step: loads of one, two or four floats, the sum of partial sums, and what
// the host has of a variant of a kernel. The kernels and the choice of a variant are the step's.
#ifndef GEMV_COL_FINAL_CUH
#define GEMV_COL_FINAL_CUH

#include "gemv_col.h"

#include <cuda_runtime.h>

#define WARP      32
#define ALL_LANES 0xffffffffu

// `width` floats that one load brings: an address of a multiple of 4 * width bytes.
template <int width> struct __align__(4 * width) wide {
    float v[width];
};

// One of the matrix's elements is needed once only: it should not push others out of the caches.
template <int width> __device__ __forceinline__ wide<width> load(const float *from) {
    wide<width> w;
    if (width == 4) {
        *(float4 *)w.v = __ldcs((const float4 *)from);
    } else if (width == 2) {
        *(float2 *)w.v = __ldcs((const float2 *)from);
    } else {
        w.v[0] = __ldcs(from);
    }
    return w;
}

// The sum of partial[0], partial[stride], .. (count of them), eight loads in flight.
__device__ __forceinline__ float add_partial(const float *partial, int64_t stride, int count) {
    float sum = 0.0f;
    for (int k = 0; k < count; k += 8) {
        float p[8];
#pragma unroll
        for (int u = 0; u < 8; u++) {
            p[u] = k + u < count ? __ldcg(partial + (k + u) * stride) : 0.0f; // others wrote them
        }
        sum += ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]));
    }
    return sum;
}

// `width` elements of x. All columns use them: they should stay in the caches.
template <int width, bool unaligned>
__device__ __forceinline__ wide<width> load_factors(const float *from) {
    wide<width> w;
    if (unaligned) {
#pragma unroll
        for (int v = 0; v < width; v++) {
            w.v[v] = __ldg(from + v);
        }
    } else {
        w = *(const wide<width> *)from;
    }
    return w;
}

// Both kernels have this type. length: columns (of A^T x: rows) of a block.
typedef void kernel(int m, int n, const float *a, const float *x, float *y, int length,
                    float *partial, unsigned *tickets);

typedef struct variant {
    kernel *run;
    int outputs; // elements of y of a block
    int step;    // products of an element that the block does at once, those in flight apart
    int threads;
    int in_flight;   // steps in flight
    int most_blocks; // that splitting may lead to
} variant;

#define AX(V, lanes, warps_down, warps_across, U, shifted, most)                                   \
    (variant) {                                                                                    \
        ax<V, lanes, warps_down, warps_across, U, shifted>,                                        \
            (lanes) * (warps_down) * (V) - ((shifted) ? 4 : 0), (warps_across) * (WARP / (lanes)), \
            (warps_down) * (warps_across)*WARP, U, most                                            \
    }
#define ATX(V, lanes, U, threads, peeled, most)                                                    \
    (variant) {                                                                                    \
        atx<V, lanes, U, threads, peeled>, (threads) / (lanes), (lanes) * (V), threads, U, most    \
    }
#define SHORT(V, lanes, U, threads)                                                                \
    (variant) {                                                                                    \
        atx_short<V, lanes, U, threads>, (threads) / (lanes), (lanes) * (V), threads, U, 1         \
    }

enum { MOST_TICKETS = GEMV_COL_COUNTER_BYTES / sizeof(unsigned) };

static bool is_aligned(const void *address, int floats) {
    return (uintptr_t)address % (floats * sizeof(float)) == 0;
}

#endif
