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
#define STAGES    6 // tiles of a block that are in shared memory or on the way there
#define LEAD      3 // rounds by which the sum of a tile is shown before it is needed

typedef unsigned long long tile_state; // upper half: number of the call; lower half: the tile's sum

// What all blocks of a launch know. x and y begin up to 3 elements before the arrays, so that x is
// aligned; elements `from` .. to - 1 are there.
template <class T> struct job {
    const T *x;
    T *y;
    int64_t from, to, tiles;
    bool exclusive, y_aligned;
    unsigned *calls;    // of this workspace so far
    tile_state *states; // [tiles]
};

template <class T> __device__ __forceinline__ T sum_warp(T value) {
    for (int distance = WARP / 2; distance >= 1; distance /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    }
    return value;
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

// This thread's vectors of a tile, VECTORS in a row: from `memory`, or from x what bulk copies
// cannot take; zeros beyond x. VECTORS is odd: then the eight lanes whose vectors shared memory
// serves at a time read different banks.
template <int VECTORS, class T>
__device__ __forceinline__ void load_own(const job<T> &j, int64_t tile, const vec4<T> *memory,
                                         vec4<T> (&v)[VECTORS]) {
    tile_range range = range_of<VECTORS>(j, tile);
    int first = threadIdx.x * VECTORS;
    const T *x = j.x + 4 * tile * THREADS * VECTORS;
    if (range.has_vectors(first, VECTORS)) {
        for (int k = 0; k < VECTORS; k++) {
            v[k] = memory[first + k];
        }
        return;
    }
    for (int k = 0; k < VECTORS; k++) {
        int e = 4 * (first + k);
        if (range.has_vectors(first + k, 1)) {
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
template <int VECTORS, class T>
__device__ __forceinline__ void sum_tile(const job<T> &j, int64_t tile, const vec4<T> *memory,
                                         T *of_warps) {
    vec4<T> v[VECTORS];
    load_own<VECTORS>(j, tile, memory, v);
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
