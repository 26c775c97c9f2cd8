// SPDX-License-Identifier: MIT
// Given to the steps of lab 12: what the three kinds of value are, the host's part of a call, and
// loads of single values and of 16 bytes.
#pragma once

#include "histogram.h"

#include <cuda_runtime.h>

#define WARP      32
#define ALL_LANES 0xffffffffu
#define FLIGHT    8 // loads of single values in flight per thread

// The values of a kind: their type, the number of bins, by how much a value is shifted to give its
// bin, and how many lie in 16 bytes. A template only to know these at compile time.
template <int kind> struct values;
template <> struct values<HISTOGRAM_BYTES> {
    typedef uint8_t type;
    enum { BINS = 256, SHIFT = 0, PER_VECTOR = 16 };
};
template <> struct values<HISTOGRAM_SHORTS> {
    typedef uint16_t type;
    enum { BINS = 4096, SHIFT = 4, PER_VECTOR = 8 };
};
template <> struct values<HISTOGRAM_INTS> {
    typedef uint32_t type;
    enum { BINS = 256, SHIFT = 24, PER_VECTOR = 4 };
};

// counts: [bins], a multiple of 256. One block for each 256 bins.
static __global__ void clear_counts(unsigned *counts) {
    counts[blockIdx.x * 256 + threadIdx.x] = 0;
}

static inline int launch_clear_counts(unsigned *d_counts, int bins) {
    clear_counts<<<(unsigned)bins / 256, 256>>>(d_counts);
    return cudaGetLastError();
}

// One block for each `per_block` values, at least one, at most `per_sm` for each SM of the card.
static inline int choose_blocks(int64_t n, int64_t per_block, int per_sm, unsigned *out_blocks) {
    int device = 0, sms = 0;
    int code = cudaGetDevice(&device);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    int64_t wanted = n > per_block ? (n + per_block - 1) / per_block : 1;
    int64_t most = (int64_t)sms * per_sm;
    *out_blocks = (unsigned)(wanted < most ? wanted : most);
    return code;
}

// A kernel that adds those of x: [n] to counts: [bins].
template <int kind>
using count_kernel = void(const typename values<kind>::type *x, int64_t n, unsigned *counts);

// Two launches: the counts are set to 0, then every value is counted, in blocks of `threads` with
// `bytes` of dynamic shared memory (choose_blocks).
template <int kind>
static int launch_count(count_kernel<kind> *kernel, int threads, int bytes, int64_t per_block,
                        int per_sm, const void *d_x, int64_t n, unsigned *d_counts) {
    unsigned blocks = 0;
    int code = choose_blocks(n, per_block, per_sm, &blocks);
    if (code == cudaSuccess && bytes > 0)
        code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (code == cudaSuccess) code = launch_clear_counts(d_counts, values<kind>::BINS);
    if (code != cudaSuccess) return code;
    kernel<<<blocks, threads, bytes>>>((const typename values<kind>::type *)d_x, n, d_counts);
    return cudaGetLastError();
}

// What a step does for the kind of value. Returns a cudaError_t.
typedef int count_function(const void *d_x, int64_t n, unsigned *d_counts);

static inline int count_by_kind(count_function *bytes, count_function *shorts, count_function *ints,
                                const void *d_x, int64_t n, histogram_kind kind,
                                unsigned *d_counts) {
    if (n < 0) return cudaErrorInvalidValue;
    switch (kind) {
    case HISTOGRAM_BYTES: return bytes(d_x, n, d_counts);
    case HISTOGRAM_SHORTS: return shorts(d_x, n, d_counts);
    case HISTOGRAM_INTS: return ints(d_x, n, d_counts);
    default: return cudaErrorInvalidValue;
    }
}

// Loads values i, i + stride .. of x: [n], FLIGHT of them before the first is looked at, and puts
// their bins into bin[0], bin[1] ..; returns how many there are.
template <int kind>
__device__ __forceinline__ int load_bins(const typename values<kind>::type *x, int64_t n, int64_t i,
                                         int64_t stride, unsigned bin[FLIGHT]) {
    if (i + (FLIGHT - 1) * stride < n) {
#pragma unroll
        for (int k = 0; k < FLIGHT; k++) bin[k] = (unsigned)x[i + k * stride];
#pragma unroll
        for (int k = 0; k < FLIGHT; k++) bin[k] >>= values<kind>::SHIFT;
        return FLIGHT;
    }
    int got = 0;
#pragma unroll
    for (int k = 0; k < FLIGHT; k++)
        if (i + k * stride < n) {
            bin[k] = (unsigned)x[i + k * stride] >> values<kind>::SHIFT;
            got = k + 1;
        }
    return got;
}

// An array as vectors of 16 bytes, with the values before the first 16-byte boundary, the head, and
// those after the last whole vector, the tail: fewer than PER_VECTOR each.
typedef struct vectors {
    const uint4 *from;   // [count]
    int64_t count, head; // head: at most n
} vectors;

template <int kind>
__device__ __forceinline__ vectors find_vectors(const typename values<kind>::type *x, int64_t n) {
    int64_t head = (int64_t)((0 - (uintptr_t)x) % sizeof(uint4) / sizeof *x);
    head = head < n ? head : n;
    return {(const uint4 *)(x + head), (n - head) / values<kind>::PER_VECTOR, head};
}

// Whether thread t of a block has one of the values of head and tail, and its bin.
template <int kind>
__device__ __forceinline__ bool find_edge(const typename values<kind>::type *x, int64_t n,
                                          const vectors *v, unsigned t, unsigned *out_bin) {
    int64_t i = t < v->head ? t : t + v->count * values<kind>::PER_VECTOR;
    if (i >= n || (t >= v->head && i < v->head + v->count * values<kind>::PER_VECTOR)) return false;
    *out_bin = (unsigned)x[i] >> values<kind>::SHIFT;
    return true;
}

// The bin of value k of a vector, in the order of addresses. k is known at compile time.
template <int kind> __device__ __forceinline__ unsigned bin_in(uint4 v, int k) {
    const int bits = 128 / values<kind>::PER_VECTOR, bit = k * bits % 32 + values<kind>::SHIFT;
    const unsigned word[4] = {v.x, v.y, v.z, v.w};
    return word[k * bits / 32] >> bit & (values<kind>::BINS - 1);
}
