// SPDX-License-Identifier: MIT
// Given to steps 6 to 9 of lab 11: what steps 4 and 5 ask for, and the launch of a block for each
// tile.
#pragma once

#include "tile.cuh"

// The sum of this lane's value and those of the lanes before it. All lanes must call it.
template <class T> __device__ __forceinline__ T scan_warp(T value) {
    int lane = threadIdx.x % WARP;
    for (int distance = 1; distance < WARP; distance *= 2) {
        T other = __shfl_up_sync(ALL_LANES, value, distance);
        if (lane >= distance) {
            value += other;
        }
    }
    return value;
}

// Where a vector lies in the tile's memory.
__device__ __forceinline__ int place(int vector) {
    return vector + vector / 8;
}

// Thread t gets elements ITEMS * t .. of the tile that begins at `first`; zeros after the last.
template <class T>
__device__ __forceinline__ void load_tile(const T *x, int64_t first, int64_t n,
                                          tile_memory<T> *memory, vec4<T> *own) {
    int t = threadIdx.x;
    for (int k = 0; k < VECTORS; k++) {
        int vector = k * THREADS + t; // neighbouring lanes, neighbouring vectors
        memory->vectors[place(vector)] = load4(x, first + 4 * vector, n);
    }
    __syncthreads();
    for (int k = 0; k < VECTORS; k++) {
        own[k] = memory->vectors[place(VECTORS * t + k)];
    }
}

// The other way round. Between the two lies a barrier.
template <class T>
__device__ __forceinline__ void store_tile(T *y, int64_t first, int64_t n, tile_memory<T> *memory,
                                           const vec4<T> *own) {
    int t = threadIdx.x;
    for (int k = 0; k < VECTORS; k++) {
        memory->vectors[place(VECTORS * t + k)] = own[k];
    }
    __syncthreads();
    for (int k = 0; k < VECTORS; k++) {
        int vector = k * THREADS + t;
        store4(y, first + 4 * vector, n, memory->vectors[place(vector)]);
    }
}

// Returns the sum of the elements of all threads before this one, and the tile's sum.
template <class T>
__device__ __forceinline__ T scan_threads(const vec4<T> *own, tile_memory<T> *memory,
                                          T *out_total) {
    T sum = 0, total = 0;
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    T mine = 0;
    for (int k = 0; k < VECTORS; k++) {
        mine += sum4(own[k]);
    }
    T up_to = scan_warp(mine);
    if (lane == WARP - 1) {
        memory->of_warps[warp] = up_to;
    }
    __syncthreads();
    for (int w = 0; w < WARPS; w++) {
        sum += w < warp ? memory->of_warps[w] : T(0);
        total += memory->of_warps[w];
    }
    T before_lane = __shfl_up_sync(ALL_LANES, up_to, 1);
    sum += lane > 0 ? before_lane : T(0);
    *out_total = total;
    return sum;
}

// A kernel with a block for each tile of x: [n]. *ticket, states: [gridDim.x], zeroed.
template <class T, class State>
using tile_kernel = void(const T *x, T *y, int64_t n, bool exclusive, unsigned *ticket,
                         State *states);

// Clears the ticket and the states and launches the kernel for the type.
template <class Ints, class Floats>
static int launch_tiles(tile_kernel<unsigned, Ints> *of_int, tile_kernel<float, Floats> *of_float,
                        const void *d_x, int64_t n, scan_type type, scan_kind kind, void *d_y,
                        void *d_workspace) {
    if (n == 0) return cudaSuccess;
    unsigned tiles = (unsigned)((n + TILE - 1) / TILE), *d_ticket = (unsigned *)d_workspace;
    int code = cudaMemsetAsync(d_workspace, 0, SCAN_COUNTER_BYTES + tiles * sizeof(Ints), 0);
    if (code != cudaSuccess) return code;
    bool exclusive = kind == SCAN_EXCLUSIVE;
    void *d_states = (char *)d_workspace + SCAN_COUNTER_BYTES;
    if (type == SCAN_INT) {
        of_int<<<tiles, THREADS>>>((const unsigned *)d_x, (unsigned *)d_y, n, exclusive, d_ticket,
                                   (Ints *)d_states);
    } else {
        of_float<<<tiles, THREADS>>>((const float *)d_x, (float *)d_y, n, exclusive, d_ticket,
                                     (Floats *)d_states);
    }
    return cudaGetLastError();
}
