// SPDX-License-Identifier: MIT
// Lab 11, step 10: bytes in flight all the time. As many blocks stay as run at once; block b has
// tiles b, b + blocks, ..: in each round a tile per block. Asynchronous copies bring the tiles of
// the next rounds to shared memory, and bulk copies (compute capability 9.0) take the results away.
// Each block shows the sum of its tile two rounds before it is needed; then it reads the sums of
// the whole round at once and needs no sum from a chain of others.
//
// What it fixes: no block waits with nothing in flight, and nobody looks back further than a round.
// Sums show the number of the call, so that nothing is cleared first. All blocks must run at once:
// a cooperative launch promises that. The order of additions is fixed again.
#include "scan.cuh"

#include <cuda_pipeline.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define THREADS   384 // also the most blocks: a thread reads the sum of each
#define WARP      32
#define WARPS     (THREADS / WARP)
#define ALL_LANES 0xffffffffu
#define STAGES    6 // tiles of a block that are in shared memory or on the way there
#define LEAD      2 // rounds by which the sum of a tile is shown before it is needed

typedef unsigned long long tile_state; // upper half: number of the call; lower half: the tile's sum

__device__ __forceinline__ unsigned bits_of(unsigned value) {
    return value;
}
__device__ __forceinline__ unsigned bits_of(float value) {
    return __float_as_uint(value);
}
__device__ __forceinline__ void from_bits(unsigned bits, unsigned *out_value) {
    *out_value = bits;
}
__device__ __forceinline__ void from_bits(unsigned bits, float *out_value) {
    *out_value = __uint_as_float(bits);
}

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

// The sum of this lane's value and those of the lanes before it. All lanes must call it.
template <class T> __device__ __forceinline__ T scan_warp(T value) {
    // TODO(student): as in step 4
    return value;
}

template <class T> __device__ __forceinline__ T sum_warp(T value) {
    for (int distance = WARP / 2; distance >= 1; distance /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    }
    return value;
}

template <class T> __device__ __forceinline__ T sum4(vec4<T> v) {
    return (v.x + v.y) + (v.z + v.w);
}

// The place of vector k of this thread among those of its tile: a warp has 32 * VECTORS neighbours.
template <int VECTORS> __device__ __forceinline__ int place(int k) {
    int t = threadIdx.x;
    return t / WARP * WARP * VECTORS + k * WARP + t % WARP;
}

// Starts copies of this thread's vectors of a tile to its own places in `memory`: no other thread
// reads them. Zeros for elements that are not there.
template <int VECTORS, class T>
__device__ __forceinline__ void fetch(const job<T> &j, int64_t tile, vec4<T> *memory) {
    // TODO(student): __pipeline_memcpy_async of 16 bytes for each vector that is there as a whole,
    // of 4 bytes for single elements; then __pipeline_commit, also without a tile
}

// Sums of the warps of a tile, of which this is one. Valid after a barrier.
template <int VECTORS, class T>
__device__ __forceinline__ void sum_tile(const vec4<T> *memory, T *of_warps) {
    T sum = 0;
    for (int k = 0; k < VECTORS; k++) {
        sum += sum4(memory[place<VECTORS>(k)]);
    }
    sum = sum_warp(sum);
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

// Waits for the sums of a round, whose tile of block 0 is `first`. seen: what the tile of block
// threadIdx.x showed a moment ago. Valid after a barrier.
template <class T>
__device__ __forceinline__ void sum_round(const job<T> &j, int64_t first, unsigned call,
                                          tile_state seen, round_sums<T> *sums) {
    T before = 0, all = 0;
    // TODO(student): thread b waits for the tile of block b until its state shows this call
    before = sum_warp(before);
    all = sum_warp(all);
    if (threadIdx.x % WARP == 0) {
        sums->before[threadIdx.x / WARP] = before;
        sums->all[threadIdx.x / WARP] = all;
    }
}

// Thread 0: starts a copy of `bytes` from shared memory to y; and waits until the copies started
// before have left shared memory, or until all are done.
__device__ __forceinline__ void start_store(void *y, const void *memory, unsigned bytes) {
    unsigned from = (unsigned)__cvta_generic_to_shared(memory);
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 :
                 : "l"(y), "r"(from), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" : : : "memory");
}
__device__ __forceinline__ void wait_until_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
}
__device__ __forceinline__ void wait_until_stored() {
    asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
}

// Stores the results of a tile, which lie in `memory`. All threads must call it.
template <int VECTORS, class T>
__device__ __forceinline__ void store_tile(const job<T> &j, int64_t tile, vec4<T> *memory) {
    const int64_t elements = 4 * THREADS * VECTORS, first = tile * elements;
    bool whole = first >= j.from && first + elements <= j.to;
    if (whole && j.y_aligned) {
        asm volatile("fence.proxy.async.shared::cta;"
                     :
                     :
                     : "memory"); // bulk copies see the results
        __syncthreads();
        if (threadIdx.x == 0) {
            start_store(j.y + first, memory, elements * sizeof(T));
        }
        return;
    }
    __syncthreads();
    for (int e = threadIdx.x; e < elements; e += THREADS) {
        if (first + e >= j.from && first + e < j.to) {
            j.y[first + e] = ((const T *)memory)[e];
        }
    }
}

template <class T, int VECTORS> __global__ void __launch_bounds__(THREADS, 1) in_flight(job<T> j) {
    extern __shared__ int4 ring[]; // STAGES tiles
    __shared__ T of_warps[LEAD + 1][WARPS];
    __shared__ round_sums<T> sums[2];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    int64_t blocks = gridDim.x, tile = blockIdx.x;
    auto stage = [](int round) { return (vec4<T> *)ring + round % STAGES * THREADS * VECTORS; };
    for (int round = 0; round < STAGES - 1; round++) {
        fetch<VECTORS>(j, tile + round * blocks, stage(round));
    }
    unsigned call = *(volatile unsigned *)j.calls + 1;
    __pipeline_wait_prior(STAGES - 1 - LEAD); // the first LEAD tiles are there
    for (int round = 0; round < LEAD && tile + round * blocks < j.tiles; round++) {
        sum_tile<VECTORS>(stage(round), of_warps[round]);
    }
    __syncthreads();
    for (int round = 0; round < LEAD && tile + round * blocks < j.tiles && warp == 0; round++) {
        publish(&j.states[tile + round * blocks], call, of_warps[round]);
    }
    T base = 0; // sum of all rounds before this one
    for (int round = 0; tile < j.tiles; round++, tile += blocks) {
        int64_t first = tile - blockIdx.x, ahead = tile + LEAD * blocks;
        T *mine = of_warps[round % (LEAD + 1)], *next = of_warps[(round + LEAD) % (LEAD + 1)];
        tile_state seen = 0;
        if (threadIdx.x < blocks && first + threadIdx.x < j.tiles) {
            seen = look(&j.states[first + threadIdx.x]); // used later: its way takes a while
        }
        // TODO(student): the sum of the tile that is LEAD rounds ahead: wait until its copies are
        // there (__pipeline_wait_prior: how many groups may be under way?),
        // sum_tile. Thread 0 waits until the last store has left its stage. After a
        // barrier fetch the tile of STAGES - 1 rounds ahead into that stage, and
        // publish.
        sum_round(j, first, call, seen, &sums[round % 2]);

        // Of this tile: sums of rows of 32 vectors, each lane with what lies before it in the warp.
        vec4<T> v[VECTORS], *own = stage(round);
        T before[VECTORS], of_warp = 0, before_warp = base;
        for (int k = 0; k < VECTORS; k++) {
            v[k] = own[place<VECTORS>(k)];
            T up_to = scan_warp(sum4(v[k]));
            T left = __shfl_up_sync(ALL_LANES, up_to, 1);
            before[k] = of_warp + (lane > 0 ? left : T(0));
            of_warp += __shfl_sync(ALL_LANES, up_to, WARP - 1);
        }
        for (int w = 0; w < WARPS; w++) {
            before_warp += w < warp ? mine[w] : T(0);
        }
        __syncthreads();
        if (tile == 0 && threadIdx.x == 0) {
            *j.calls = call; // every block has read it, or would not have shown a sum
        }
        for (int w = 0; w < WARPS; w++) {
            before_warp += sums[round % 2].before[w];
            base += sums[round % 2].all[w];
        }
        for (int k = 0; k < VECTORS; k++) {
            T p = before_warp + before[k], a = p + v[k].x, b = a + v[k].y, c = b + v[k].z;
            vec4<T> result = {p, a, b, c};
            if (!j.exclusive) {
                result = {a, b, c, c + v[k].w};
            }
            own[place<VECTORS>(k)] = result;
        }
        store_tile<VECTORS>(j, tile, own);
    }
    if (threadIdx.x == 0) {
        wait_until_stored();
    }
}

template <class T, int VECTORS> static int launch_tiles(job<T> j, int most_blocks) {
    int64_t tile = 4 * THREADS * VECTORS;
    size_t bytes = STAGES * tile * sizeof(T);
    void *kernel = (void *)in_flight<T, VECTORS>;
    j.tiles = (j.to + tile - 1) / tile;
    most_blocks = most_blocks < THREADS ? most_blocks : THREADS;
    unsigned blocks = (unsigned)(j.tiles < most_blocks ? j.tiles : most_blocks);
    int code =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (code != cudaSuccess) return code;
    void *arguments[] = {&j};
    return cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(THREADS), arguments, bytes, 0);
}

template <class T>
static int launch(const void *d_x, int64_t n, bool exclusive, void *d_y, void *d_workspace) {
    int device = 0, sms = 0;
    int shift = (int)((uintptr_t)d_x % 16 / sizeof(T));
    job<T> j = {(const T *)d_x - shift, (T *)d_y - shift, shift, n + shift, 0, exclusive, false};
    j.y_aligned = (uintptr_t)j.y % 16 == 0;
    j.calls = (unsigned *)d_workspace;
    j.states = (tile_state *)((char *)d_workspace + SCAN_COUNTER_BYTES);
    int code = cudaGetDevice(&device);
    if (code == cudaSuccess) {
        code = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    }
    if (code != cudaSuccess) return code;
    // Small tiles give every SM one of a small array.
    if (n <= (int64_t)sms * 4 * THREADS) return launch_tiles<T, 1>(j, sms);
    if (n <= (int64_t)sms * 8 * THREADS) return launch_tiles<T, 2>(j, sms);
    return launch_tiles<T, 6>(j, sms);
}

extern "C" int scan_step10(const void *d_x, int64_t n, scan_type type, scan_kind kind, void *d_y,
                           void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return SCAN_NOT_IMPLEMENTED;
    if (!scan_call_is_valid(n, type, kind, workspace_bytes)) return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;
    bool exclusive = kind == SCAN_EXCLUSIVE;
    int code;
    if (type == SCAN_INT) {
        code = launch<unsigned>(d_x, n, exclusive, d_y, d_workspace);
    } else {
        code = launch<float>(d_x, n, exclusive, d_y, d_workspace);
    }
    if (code != cudaSuccess) return code;
    return cudaGetLastError();
}
// ladder-skeleton bf9ffe4cab6d7c84 (as it was handed out; any change makes this file yours)
