// SPDX-License-Identifier: MIT
// Given to lab 11's last step: what all blocks of a launch know, which elements of a tile there
// are, loads of a thread's own vectors, and sums that blocks show each other. Copies, the waiting
// and the rounds are the step's.
#pragma once

#include "bulk.cuh"
#include "scan.cuh"

#define THREADS   320 // also the most blocks: a thread reads the sum of each
#define WARP      32
#define WARPS     (THREADS / WARP)
#define ALL_LANES 0xffffffffu
#define STAGES    6   // tiles of a block that are in shared memory or on the way there
#define LEAD      3   // rounds by which the sum of a tile is shown before it is needed
#define LINE      128 // bytes: copies that begin at multiples of it are the fastest

typedef unsigned long long tile_state; // upper half: number of the call; lower half: the tile's sum

// What all blocks of a launch know. x and y begin before the arrays, at multiples of LINE bytes;
// elements `from` .. to - 1 of y are there, and `shift` further those of x.
template <class T> struct job {
    const T *x;
    T *y;
    int64_t from, to, tiles;
    int shift; // less than LINE / sizeof(T)
    bool exclusive;
    unsigned *calls;    // of this workspace so far
    tile_state *states; // [tiles]
};

template <class T> __device__ __forceinline__ T sum_warp(T value) {
    for (int distance = WARP / 2; distance >= 1; distance /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    }
    return value;
}

// Vectors of a stage: those of a tile, and a line more where x is shifted.
template <int VECTORS, bool SHIFTED> __host__ __device__ constexpr int vectors_of_stage() {
    return THREADS * VECTORS + (SHIFTED ? LINE / 16 : 0);
}

// The places of a tile that hold elements: from .. to - 1. Only the first tile and the last one
// have others. Bulk copies take the whole vectors among them; the elements beside these, at most
// three at either end, are loaded and stored one by one.
struct tile_range {
    int from, to;

    __device__ __forceinline__ bool has_vectors(int v, int count) const {
        return 4 * v >= from && 4 * (v + count) <= to;
    }
    __device__ __forceinline__ bool has(int e) const { return e >= from && e < to; }
    __device__ __forceinline__ int first_vector() const { return (from + 3) / 4; }
    __device__ __forceinline__ unsigned vector_bytes() const {
        int vectors = to / 4 - first_vector();
        return vectors > 0 ? 16 * vectors : 0;
    }
};
template <int VECTORS, class T>
__device__ __forceinline__ tile_range range_of(const job<T> &j, int64_t tile) {
    const int64_t elements = 4 * THREADS * VECTORS, first = tile * elements;
    return {(int)max(j.from - first, (int64_t)0), (int)min(j.to - first, elements)};
}

// The same of x, of which a tile has more vectors where it is shifted.
template <int VECTORS, class T>
__device__ __forceinline__ tile_range range_of_x(const job<T> &j, int64_t tile) {
    const int64_t elements = 4 * THREADS * VECTORS, first = tile * elements - j.shift;
    return {(int)max(j.from - first, (int64_t)0),
            (int)min(j.to - first, elements + (j.shift + 3) / 4 * 4)};
}

// Vectors of elements from skip on, 0 .. 3, of the `memory` of aligned ones.
template <int skip, int VECTORS, class T>
__device__ __forceinline__ void load_shifted(const vec4<T> *memory, vec4<T> (&v)[VECTORS]) {
    vec4<T> a = memory[0];
    for (int k = 0; k < VECTORS; k++) {
        vec4<T> b = skip > 0 || k + 1 < VECTORS ? memory[k + 1] : a;
        v[k] = skip == 0   ? a
               : skip == 1 ? vec4<T>{a.y, a.z, a.w, b.x}
               : skip == 2 ? vec4<T>{a.z, a.w, b.x, b.y}
                           : vec4<T>{a.w, b.x, b.y, b.z};
        a = b;
    }
}

// This thread's vectors of a tile, VECTORS in a row: from `memory`, or from x what bulk copies
// cannot take; zeros beyond x. VECTORS is odd: then the eight lanes whose vectors shared memory
// serves at a time read different banks. SHIFTED: j.shift may be other than 0.
template <bool SHIFTED, int VECTORS, class T>
__device__ __forceinline__ void load_own(const job<T> &j, int64_t tile, const vec4<T> *memory,
                                         vec4<T> (&v)[VECTORS]) {
    const int shift = SHIFTED ? j.shift : 0;
    tile_range range = SHIFTED ? range_of_x<VECTORS>(j, tile) : range_of<VECTORS>(j, tile);
    int first = threadIdx.x * VECTORS + shift / 4, skip = shift % 4;
    if (range.has_vectors(first, VECTORS + (skip > 0))) {
        memory += first;
        if (skip == 0) return load_shifted<0>(memory, v);
        if (skip == 1) return load_shifted<1>(memory, v);
        if (skip == 2) return load_shifted<2>(memory, v);
        return load_shifted<3>(memory, v);
    }
    const T *x = j.x + 4 * tile * THREADS * VECTORS;
    for (int k = 0; k < VECTORS; k++) {
        int e = 4 * (first + k) + skip;
        if (skip == 0 && range.has_vectors(first + k, 1)) {
            v[k] = memory[first + k];
        } else {
            v[k] = {range.has(e) ? x[e] : T(0), range.has(e + 1) ? x[e + 1] : T(0),
                    range.has(e + 2) ? x[e + 2] : T(0), range.has(e + 3) ? x[e + 3] : T(0)};
        }
    }
}

template <int VECTORS, class T> __device__ __forceinline__ T sum_own(const vec4<T> (&v)[VECTORS]) {
    T sum = 0;
    for (int k = 0; k < VECTORS; k++) {
        sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
    }
    return sum;
}

// Sums of the warps of a tile, of which this is one. Valid after a barrier.
template <bool SHIFTED, int VECTORS, class T>
__device__ __forceinline__ void sum_tile(const job<T> &j, int64_t tile, const vec4<T> *memory,
                                         T *of_warps) {
    vec4<T> v[VECTORS];
    load_own<SHIFTED>(j, tile, memory, v);
    T sum = sum_warp(sum_own<VECTORS>(v));
    if (threadIdx.x % WARP == 0) {
        of_warps[threadIdx.x / WARP] = sum;
    }
}

// Warp 0: shows the tile's sum to all blocks.
template <class T>
__device__ __forceinline__ void publish(tile_state *state, unsigned call, const T *of_warps) {
    int lane = threadIdx.x % WARP;
    T sum = sum_warp(lane < WARPS ? of_warps[lane] : T(0));
    if (lane == 0) {
        *(volatile tile_state *)state = (tile_state)call << 32 | bits_of(sum);
    }
}

// Sums over a round: of the tiles of the blocks before this one, and of all.
template <class T> struct round_sums {
    T before[WARPS], all[WARPS]; // parts, by warp
};

__device__ __forceinline__ tile_state look(const tile_state *state) {
    return *(const volatile tile_state *)state;
}
