// SPDX-License-Identifier: MIT
// Lab 11, step 8: a block does not wait for the sum of all before it. It publishes the sum of its
// own tile at once and looks back: it adds up the sums of the tiles before until it finds one that
// knows the sum of all up to it (Merrill and Garland, "Single-pass parallel prefix scan with
// decoupled look-back", NVR-2016-002).
//
// What it fixes: blocks that are ready pass the sums on for those that are not. What stays: one
// thread looks at one tile at a time.
#include "tile.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

enum { NOTHING = 0, TILE_SUM = 1, SUM_UP_TO = 2 };

// What a tile shows to those after it. Zeroed before the launch.
template <class T> struct look_state {
    T tile_sum;     // valid from TILE_SUM on
    T sum_up_to;    // valid when SUM_UP_TO
    unsigned shows; // NOTHING, TILE_SUM or SUM_UP_TO
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
    // SOLUTION TODO: as in step 7
    // SOLUTION STUB: (void)ticket;
    // SOLUTION STUB: return blockIdx.x;
}

// Thread 0 only: value to *place, and then what the state shows.
template <class T>
__device__ __forceinline__ void publish(look_state<T> *state, T *place, T value, unsigned shows) {
    // SOLUTION BEGIN
    *place = value;
    __threadfence(); // the thread that sees the state also sees the value
    *(volatile unsigned *)&state->shows = shows;
    // SOLUTION TODO: as in step 7
}

// Thread 0 only: the sum of all tiles before `tile`.
template <class T> __device__ __forceinline__ T look_back(look_state<T> *states, unsigned tile) {
    T sum = 0;
    // SOLUTION BEGIN
    for (unsigned at = tile; at > 0;) {
        look_state<T> *state = &states[at - 1];
        unsigned shows = *(volatile unsigned *)&state->shows;
        if (shows == NOTHING) continue; // not yet: ask again
        __threadfence();                // the value is read after what the state shows
        if (shows == SUM_UP_TO) return sum + __ldcg(&state->sum_up_to);
        sum += __ldcg(&state->tile_sum);
        at--;
    }
    // SOLUTION TODO: from tile - 1 backwards: ask again while the state shows NOTHING, add its
    // SOLUTION TODO: tile_sum and go on, or add sum_up_to and stop
    return sum;
}

// x, y: [n]; x may be y. states: [gridDim.x], zeroed.
template <class T>
__global__ void __launch_bounds__(THREADS)
    look(const T *x, T *y, int64_t n, bool exclusive, unsigned *ticket, look_state<T> *states) {
    __shared__ tile_memory<T> memory;
    __shared__ T before_tile;
    unsigned tile = take_ticket(ticket);
    int64_t first = (int64_t)tile * TILE;
    vec4<T> own[VECTORS];
    T total;
    load_tile(x, first, n, &memory, own);
    T before = scan_threads(own, &memory, &total);
    if (threadIdx.x == 0) {
        look_state<T> *state = &states[tile];
        // SOLUTION BEGIN
        if (tile > 0) publish(state, &state->tile_sum, total, TILE_SUM);
        T sum = look_back(states, tile);
        publish(state, &state->sum_up_to, sum + total, SUM_UP_TO);
        before_tile = sum;
        // SOLUTION TODO: publish the tile's sum, look back, publish the sum up to this tile
        // SOLUTION STUB: before_tile = look_back(state, 0);
    }
    __syncthreads();
    finish(own, before_tile + before, exclusive);
    store_tile(y, first, n, &memory, own);
}

extern "C" int scan_step8(const void *d_x, int64_t n, scan_type type, scan_kind kind, void *d_y,
                          void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return SCAN_NOT_IMPLEMENTED;
    if (!scan_call_is_valid(n, type, kind, workspace_bytes)) return cudaErrorInvalidValue;
    return launch_tiles(look<unsigned>, look<float>, d_x, n, type, kind, d_y, d_workspace);
}
