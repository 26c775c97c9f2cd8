// SPDX-License-Identifier: MIT
// Lab 11, step 7: one launch. Each block waits for the one before it, adds its own sum and hands
// the result on. Blocks are numbered by tickets in the order in which they start, so that a block
// only waits for blocks that run already. Chained scan: Yan, Long, Zhang, "StreamScan", PPoPP 2013.
//
// What it fixes: the array is read once: 8 bytes for each element. What stays: the tiles hand the
// sum on one after the other, and each time costs two trips to the L2 cache.
#include "tile.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

// What a tile leaves for the next one. Zeroed before the launch.
template <class T> struct chain_state {
    T up_to;        // the sum of all tiles up to this one
    unsigned ready; // 1: up_to is there
};

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

// The number of this block in the order in which blocks start, the same in all its threads.
// *ticket: 0 before the launch.
__device__ __forceinline__ unsigned take_ticket(unsigned *ticket) {
    // SOLUTION BEGIN
    __shared__ unsigned number;
    if (threadIdx.x == 0) {
        number = atomicAdd(ticket, 1);
    }
    __syncthreads();
    return number;
    // SOLUTION TODO: thread 0 takes a ticket with atomicAdd and tells the other threads
    // SOLUTION STUB: (void)ticket;
    // SOLUTION STUB: return blockIdx.x;
}

// Thread 0 only: waits until the tile before has its sum and returns it.
template <class T> __device__ __forceinline__ T wait_for(chain_state<T> *state) {
    T sum = 0;
    // SOLUTION BEGIN
    volatile unsigned *ready = &state->ready;
    while (*ready == 0) {
    }
    __threadfence();             // the sum is read after the flag
    sum = __ldcg(&state->up_to); // from L2: another SM wrote it
    // SOLUTION TODO: read the flag through a volatile pointer until it is 1, then the sum. What
    // SOLUTION TODO: must lie between the two reads?
    return sum;
}

// Thread 0 only.
template <class T> __device__ __forceinline__ void hand_on(chain_state<T> *state, T up_to) {
    // SOLUTION BEGIN
    state->up_to = up_to;
    __threadfence(); // the thread that sees the flag also sees the sum
    *(volatile unsigned *)&state->ready = 1;
    // SOLUTION TODO: the sum, then the flag; and between the two?
}

// x, y: [n]; x may be y. states: [gridDim.x], zeroed.
template <class T>
__global__ void __launch_bounds__(THREADS)
    chained(const T *x, T *y, int64_t n, bool exclusive, unsigned *ticket, chain_state<T> *states) {
    __shared__ tile_memory<T> memory;
    __shared__ T before_tile;
    unsigned tile = take_ticket(ticket);
    int64_t first = (int64_t)tile * TILE;
    vec4<T> own[VECTORS];
    T total;
    load_tile(x, first, n, &memory, own);
    T before = scan_threads(own, &memory, &total);
    if (threadIdx.x == 0) {
        T sum = tile > 0 ? wait_for(&states[tile - 1]) : T(0);
        hand_on(&states[tile], sum + total);
        before_tile = sum;
    }
    __syncthreads();
    finish(own, before_tile + before, exclusive);
    store_tile(y, first, n, &memory, own);
}

extern "C" int scan_step7(const void *d_x, int64_t n, scan_type type, scan_kind kind, void *d_y,
                          void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return SCAN_NOT_IMPLEMENTED;
    if (!scan_call_is_valid(n, type, kind, workspace_bytes)) return cudaErrorInvalidValue;
    return launch_tiles(chained<unsigned>, chained<float>, d_x, n, type, kind, d_y, d_workspace);
}
