// SPDX-License-Identifier: MIT
// Lab 11, step 6: a block for each tile. The first launch adds up each tile, the second scans these
// sums, the third scans each tile, from the sum of all before it.
//
// What it fixes: all SMs work. What stays: the array is read twice: 12 bytes for each element where
// 8 are needed.
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

__device__ __forceinline__ int place(int vector) {
    // SOLUTION BEGIN
    return vector + vector / 8;
    // SOLUTION TODO: as in step 5
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
    // SOLUTION TODO: as in step 5
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
    // SOLUTION TODO: as in step 5
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
    // SOLUTION TODO: as in step 5
    *out_total = total;
    return sum;
}

// sums: [gridDim.x]. Block b adds up tile b of x: [n].
template <class T>
__global__ void __launch_bounds__(THREADS) reduce_tiles(const T *x, int64_t n, T *sums) {
    __shared__ T of_warps[WARPS];
    // SOLUTION BEGIN
    int t = threadIdx.x;
    int64_t first = (int64_t)blockIdx.x * TILE;
    T sum = 0;
    for (int k = 0; k < VECTORS; k++) {
        sum += sum4(load4(x, first + 4 * (k * THREADS + t), n));
    }
    sum = scan_warp(sum);
    if (t % WARP == WARP - 1) {
        of_warps[t / WARP] = sum;
    }
    __syncthreads();
    if (t == 0) {
        T total = 0;
        for (int w = 0; w < WARPS; w++) {
            total += of_warps[w];
        }
        sums[blockIdx.x] = total;
    }
    // SOLUTION TODO: the order of the elements does not matter here: no transposition
}

// sums: [count] becomes its own exclusive sums. One block, as in step 5.
template <class T> __global__ void __launch_bounds__(THREADS) scan_sums(T *sums, int64_t count) {
    __shared__ tile_memory<T> memory;
    // SOLUTION BEGIN
    T carry = 0;
    for (int64_t first = 0; first < count; first += TILE) {
        vec4<T> own[VECTORS];
        T total;
        load_tile(sums, first, count, &memory, own);
        T before = carry + scan_threads(own, &memory, &total);
        finish(own, before, true);
        store_tile(sums, first, count, &memory, own);
        carry += total;
        __syncthreads(); // the next tile overwrites the memory
    }
    // SOLUTION TODO: the loop of step 5
}

// x, y: [n]; x may be y. before: [gridDim.x], the sum of all tiles before each.
template <class T>
__global__ void __launch_bounds__(THREADS)
    scan_tiles(const T *x, T *y, int64_t n, const T *before, bool exclusive) {
    __shared__ tile_memory<T> memory;
    // SOLUTION BEGIN
    int64_t first = (int64_t)blockIdx.x * TILE;
    vec4<T> own[VECTORS];
    T total;
    load_tile(x, first, n, &memory, own);
    T sum = before[blockIdx.x] + scan_threads(own, &memory, &total);
    finish(own, sum, exclusive);
    store_tile(y, first, n, &memory, own);
    // SOLUTION TODO: as in step 5, but for one tile, with before[blockIdx.x] for the carry
}

template <class T> static int launch(const T *x, T *y, int64_t n, bool exclusive, T *sums) {
    unsigned tiles = (unsigned)((n + TILE - 1) / TILE);
    reduce_tiles<<<tiles, THREADS>>>(x, n, sums);
    int code = cudaGetLastError();
    if (code == cudaSuccess) {
        scan_sums<<<1, THREADS>>>(sums, tiles);
        code = cudaGetLastError();
    }
    if (code == cudaSuccess) scan_tiles<<<tiles, THREADS>>>(x, y, n, sums, exclusive);
    return code;
}

extern "C" int scan_step6(const void *d_x, int64_t n, scan_type type, scan_kind kind, void *d_y,
                          void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return SCAN_NOT_IMPLEMENTED;
    if (!scan_call_is_valid(n, type, kind, workspace_bytes)) return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;
    void *d_sums = (char *)d_workspace + SCAN_COUNTER_BYTES;
    bool exclusive = kind == SCAN_EXCLUSIVE;
    int code;
    if (type == SCAN_INT) {
        code = launch((const unsigned *)d_x, (unsigned *)d_y, n, exclusive, (unsigned *)d_sums);
    } else {
        code = launch((const float *)d_x, (float *)d_y, n, exclusive, (float *)d_sums);
    }
    if (code != cudaSuccess) return code;
    return cudaGetLastError();
}
