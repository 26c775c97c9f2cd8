// SPDX-License-Identifier: MIT
// Lab 11, step 5: sixteen consecutive elements per thread, added in registers. Loads and stores are
// of 16 bytes per lane and neighbouring lanes take neighbouring vectors; on the way the tile is
// transposed through shared memory.
//
// What it fixes: a shuffle and a barrier serve 16 times as many elements, and more bytes are in
// flight. What stays: one block, so one SM of all works.
#include "tile.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

// The sum of this lane's value and those of the lanes before it. All lanes must call it.
template <class T> __device__ __forceinline__ T scan_warp(T value) {
    // SOLUTION BEGIN
    int lane = threadIdx.x % WARP;
    for (int distance = 1; distance < WARP; distance *= 2) {
        T other = __shfl_up_sync(ALL_LANES, value, distance);
        if (lane >= distance) {
            value += other;
        }
    }
    // SOLUTION TODO: as in step 4
    return value;
}

// Where a vector lies in the tile's memory.
__device__ __forceinline__ int place(int vector) {
    // SOLUTION BEGIN
    return vector + vector / 8;
    // SOLUTION TODO: leave out one vector after every 8
    // SOLUTION STUB: return vector;
}

// Thread t gets elements ITEMS * t .. of the tile that begins at `first`; zeros after the last.
template <class T>
__device__ __forceinline__ void load_tile(const T *x, int64_t first, int64_t n,
                                          tile_memory<T> *memory, vec4<T> *own) {
    // SOLUTION BEGIN
    int t = threadIdx.x;
    for (int k = 0; k < VECTORS; k++) {
        int vector = k * THREADS + t; // neighbouring lanes, neighbouring vectors
        memory->vectors[place(vector)] = load4(x, first + 4 * vector, n);
    }
    __syncthreads();
    for (int k = 0; k < VECTORS; k++) {
        own[k] = memory->vectors[place(VECTORS * t + k)];
    }
    // SOLUTION TODO: load4 in the order of memory into memory->vectors, a barrier, then each thread
    // SOLUTION TODO: takes its own vectors VECTORS * t ..
}

// The other way round. Between the two lies a barrier.
template <class T>
__device__ __forceinline__ void store_tile(T *y, int64_t first, int64_t n, tile_memory<T> *memory,
                                           const vec4<T> *own) {
    // SOLUTION BEGIN
    int t = threadIdx.x;
    for (int k = 0; k < VECTORS; k++) {
        memory->vectors[place(VECTORS * t + k)] = own[k];
    }
    __syncthreads();
    for (int k = 0; k < VECTORS; k++) {
        int vector = k * THREADS + t;
        store4(y, first + 4 * vector, n, memory->vectors[place(vector)]);
    }
    // SOLUTION TODO: the other way round, with store4
}

// Returns the sum of the elements of all threads before this one, and the tile's sum.
template <class T>
__device__ __forceinline__ T scan_threads(const vec4<T> *own, tile_memory<T> *memory,
                                          T *out_total) {
    T sum = 0, total = 0;
    // SOLUTION BEGIN
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
    // SOLUTION TODO: each thread its own elements, then scan_warp, then the sums of the warps
    // SOLUTION TODO: before
    *out_total = total;
    return sum;
}

// x, y: [n]; x may be y. One block.
template <class T>
__global__ void __launch_bounds__(THREADS) vectors(const T *x, T *y, int64_t n, bool exclusive) {
    __shared__ tile_memory<T> memory;
    T carry = 0; // sum of all tiles before this one
    for (int64_t first = 0; first < n; first += TILE) {
        vec4<T> own[VECTORS];
        T total;
        load_tile(x, first, n, &memory, own);
        T before = carry + scan_threads(own, &memory, &total);
        finish(own, before, exclusive);
        store_tile(y, first, n, &memory, own);
        carry += total;
        __syncthreads(); // the next tile overwrites the memory
    }
}

extern "C" int scan_step5(const void *d_x, int64_t n, scan_type type, scan_kind kind, void *d_y,
                          void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return SCAN_NOT_IMPLEMENTED;
    if (!scan_call_is_valid(n, type, kind, workspace_bytes)) return cudaErrorInvalidValue;
    return scan_in_one_block(vectors<unsigned>, vectors<float>, THREADS, d_x, n, type, kind, d_y);
}
