// SPDX-License-Identifier: MIT
// Lab 11, step 9: a warp looks at 32 tiles at a time. What a tile shows and its value are one word
// of 64 bits, which is written and read at once: no fence is needed.
//
// What it fixes: one trip to the L2 cache for 32 tiles. What stays: while a block waits for its
// tile or looks back it has no loads in flight; and every call clears the states first.
#include "tile.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

typedef unsigned long long tile_state; // upper half: what it shows; lower half: the value

enum { NOTHING = 0, TILE_SUM = 1, SUM_UP_TO = 2 };

template <class T>
__device__ __forceinline__ void publish(tile_state *state, unsigned shows, T value) {
    *(volatile tile_state *)state = (tile_state)shows << 32 | bits_of(value);
}

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
    // SOLUTION TODO: as in step 7
    // SOLUTION STUB: (void)ticket;
    // SOLUTION STUB: return blockIdx.x;
}

// A whole warp: the sum of all tiles before `tile`, in every lane.
template <class T> __device__ __forceinline__ T look_back(tile_state *states, unsigned tile) {
    T sum = 0;
    // SOLUTION BEGIN
    int lane = threadIdx.x % WARP;
    for (int near = (int)tile - 1;; near -= WARP) { // lane 0 looks at the nearest tile
        int at = near - lane;
        unsigned shows;
        T value;
        do { // before the first tile the sum of all is 0
            tile_state state = (tile_state)SUM_UP_TO << 32;
            if (at >= 0) {
                state = *(volatile tile_state *)&states[at];
            }
            shows = (unsigned)(state >> 32);
            from_bits((unsigned)state, &value);
        } while (__any_sync(ALL_LANES, shows == NOTHING));
        unsigned complete = __ballot_sync(ALL_LANES, shows == SUM_UP_TO);
        int last = complete ? __ffs(complete) - 1 : WARP - 1; // the nearest that knows all before
        T part = lane <= last ? value : T(0);
        for (int distance = WARP / 2; distance >= 1; distance /= 2) {
            part += __shfl_xor_sync(ALL_LANES, part, distance);
        }
        sum += part;
        if (complete) break;
    }
    // SOLUTION TODO: lane l looks at tile - 1 - l; all ask again while one shows NOTHING. The
    // SOLUTION TODO: nearest that shows SUM_UP_TO ends the search (__ballot_sync, __ffs): add up
    // SOLUTION TODO: the values up to it. None: add up all 32 and look at the 32 before.
    return sum;
}

// x, y: [n]; x may be y. states: [gridDim.x], zeroed.
template <class T>
__global__ void __launch_bounds__(THREADS)
    warp_look(const T *x, T *y, int64_t n, bool exclusive, unsigned *ticket, tile_state *states) {
    __shared__ tile_memory<T> memory;
    __shared__ T before_tile;
    unsigned tile = take_ticket(ticket);
    int64_t first = (int64_t)tile * TILE;
    vec4<T> own[VECTORS];
    T total;
    load_tile(x, first, n, &memory, own);
    T before = scan_threads(own, &memory, &total);
    if (threadIdx.x < WARP) {
        if (threadIdx.x == 0 && tile > 0) publish(&states[tile], TILE_SUM, total);
        T sum = look_back<T>(states, tile);
        if (threadIdx.x == 0) {
            publish(&states[tile], SUM_UP_TO, sum + total);
            before_tile = sum;
        }
    }
    __syncthreads();
    finish(own, before_tile + before, exclusive);
    store_tile(y, first, n, &memory, own);
}

extern "C" int scan_step9(const void *d_x, int64_t n, scan_type type, scan_kind kind, void *d_y,
                          void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return SCAN_NOT_IMPLEMENTED;
    if (!scan_call_is_valid(n, type, kind, workspace_bytes)) return cudaErrorInvalidValue;
    return launch_tiles(warp_look<unsigned>, warp_look<float>, d_x, n, type, kind, d_y,
                        d_workspace);
}
