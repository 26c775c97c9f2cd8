// SPDX-License-Identifier: MIT
// Lab 11, step 10: bytes in flight all the time. As many blocks stay as run at once; block b has
// tiles b, b + blocks, ..: in each round a tile per block. One thread starts bulk copies (compute
// capability 9.0), which bring the tiles of the next rounds to shared memory and take the results
// away. Each block shows the sum of its tile three rounds before it is needed; then it reads the
// sums of the whole round at once and needs no sum from a chain of others.
//
// What it fixes: no block waits with nothing in flight, and nobody looks back further than a round.
// Sums show the number of the call, so that nothing is cleared first. All blocks must run at once:
// a cooperative launch promises that. The order of additions is fixed again.
//
// scan_in_flight.cuh, given, has what a thread loads of its tile and what blocks show each other.
#include "bulk.cuh"
#include "scan.cuh"
#include "scan_in_flight.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

// The sum of this lane's value and those of the lanes before it. All lanes must call it.
template <class T> __device__ __forceinline__ T scan_warp(T value) {
    // TODO(student): as in step 4
    return value;
}

// Thread 0: starts the copy of a tile into `memory`. When it is there, the phase of `arrived` ends.
template <int VECTORS, class T>
__device__ __forceinline__ void fetch(const job<T> &j, int64_t tile, vec4<T> *memory,
                                      barrier *arrived) {
    // TODO(student): tell `arrived` how many bytes will come (expect_bytes, also for none), then
    // start_load of the whole vectors to their places. Nothing without a tile.
}

// Waits for the sums of a round, whose tile of block 0 is `first`. seen: what the tile of block
// threadIdx.x showed a moment ago. Valid after a barrier.
template <class T>
__device__ __forceinline__ void sum_round(const job<T> &j, int64_t first, unsigned call,
                                          tile_state seen, round_sums<T> *sums) {
    T before = 0, all = 0;
    // TODO(student): thread b waits for the tile of block b until its state shows this call
    if (threadIdx.x / WARP * WARP < gridDim.x) {
        before = sum_warp(before);
        all = sum_warp(all);
    }
    if (threadIdx.x % WARP == 0) {
        sums->before[threadIdx.x / WARP] = before;
        sums->all[threadIdx.x / WARP] = all;
    }
}

// Stores the results of a tile, which lie in `memory`: by a bulk copy, apart from the elements at
// the ends. All threads must call it.
template <int VECTORS, class T>
__device__ __forceinline__ void store_tile(const job<T> &j, int64_t tile, const vec4<T> *memory) {
    tile_range range = range_of<VECTORS>(j, tile);
    const T *results = (const T *)memory;
    T *y = j.y + 4 * tile * THREADS * VECTORS;
    int t = threadIdx.x, v = range.first_vector(), end = 4 * v + range.vector_bytes() / sizeof(T);
    before_bulk_store();
    __syncthreads();
    if (t == 0 && range.vector_bytes() > 0) {
        start_store(y + 4 * v, memory + v, range.vector_bytes());
    }
    if (t < 4 && range.has(range.from + t) && range.from + t < 4 * v) {
        y[range.from + t] = results[range.from + t];
    }
    if (t < 4 && range.has(end + t)) {
        y[end + t] = results[end + t];
    }
}

// Leaves the results of this thread's vectors in `memory`; `before` is the sum of all before them.
template <int VECTORS, class T>
__device__ __forceinline__ void put_results(const vec4<T> (&v)[VECTORS], T before, bool exclusive,
                                            vec4<T> *memory) {
    for (int k = 0; k < VECTORS; k++) {
        T a = before + v[k].x, b = a + v[k].y, c = b + v[k].z, d = c + v[k].w;
        vec4<T> result = {a, b, c, d};
        if (exclusive) {
            result = {before, a, b, c};
        }
        memory[threadIdx.x * VECTORS + k] = result;
        before = d;
    }
}

template <class T, int VECTORS, bool SHIFTED>
__global__ void __launch_bounds__(THREADS, 1) in_flight(job<T> j) {
    extern __shared__ int4 ring[]; // STAGES tiles
    __shared__ barrier arrived[STAGES];
    __shared__ T of_warps[LEAD + 1][WARPS];
    __shared__ round_sums<T> sums;
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    int64_t blocks = gridDim.x, tile = blockIdx.x;
    auto stage = [](int round) {
        return (vec4<T> *)ring + round % STAGES * vectors_of_stage<VECTORS, SHIFTED>();
    };
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) init_barrier(&arrived[s]);
        show_barriers();
        for (int round = 0; round < STAGES - 1; round++) {
            fetch<VECTORS>(j, tile + round * blocks, stage(round), &arrived[round]);
        }
    }
    unsigned call = *(volatile unsigned *)j.calls + 1;
    __syncthreads();
    for (int round = 0; round < LEAD && tile + round * blocks < j.tiles; round++) {
        wait_for(&arrived[round], 0);
        sum_tile<SHIFTED, VECTORS>(j, tile + round * blocks, stage(round), of_warps[round]);
    }
    __syncthreads();
    for (int round = 0; round < LEAD && tile + round * blocks < j.tiles && warp == 0; round++) {
        publish(&j.states[tile + round * blocks], call, of_warps[round]);
    }
    __syncthreads(); // no warp looks at other blocks' sums before this block has shown its own
    T base = 0;      // sum of all rounds before this one
    for (int round = 0; tile < j.tiles; round++, tile += blocks) {
        int64_t first = tile - blockIdx.x, ahead = tile + LEAD * blocks;
        T *mine = of_warps[round % (LEAD + 1)], *next = of_warps[(round + LEAD) % (LEAD + 1)];
        tile_state seen = 0;
        if (threadIdx.x < blocks && first + threadIdx.x < j.tiles) {
            seen = look(&j.states[first + threadIdx.x]); // used later: its way takes a while
        }
        // TODO(student): the sum of the tile that is LEAD rounds ahead: wait until it has arrived
        // (a stage's barrier ends phase 0, 1, 0, ..), then sum_tile

        // Of this tile: what lies before this thread, as far as its warp and warps before know it.
        vec4<T> v[VECTORS], *own = stage(round);
        load_own<SHIFTED>(j, tile, own, v);
        T up_to = scan_warp(sum_own<VECTORS>(v));
        T before = __shfl_up_sync(ALL_LANES, up_to, 1);
        before = base + (lane > 0 ? before : T(0));
        for (int w = 0; w < WARPS; w++) {
            before += w < warp ? mine[w] : T(0);
        }
        sum_round(j, first, call, seen, &sums);
        __syncthreads();
        if (warp == 0 && ahead < j.tiles) {
            publish(&j.states[ahead], call, next);
        }
        if (tile == 0 && threadIdx.x == 0) {
            *j.calls = call; // every block has read it, or would not have shown a sum
        }
        for (int w = 0; w < WARPS; w++) {
            before += sums.before[w];
            base += sums.all[w];
        }
        put_results<VECTORS>(v, before, j.exclusive, own);
        store_tile<VECTORS>(j, tile, own);
        // TODO(student): thread 0 fetches the tile of STAGES - 1 rounds ahead. Which stage does it
        // take, and what must have left it?
    }
    if (threadIdx.x == 0) {
        wait_until_stored();
    }
}

template <class T, int VECTORS, bool SHIFTED> static int launch_kernel(job<T> j, int most_blocks) {
    int64_t tile = 4 * THREADS * VECTORS;
    size_t bytes = STAGES * vectors_of_stage<VECTORS, SHIFTED>() * sizeof(vec4<T>);
    void *kernel = (void *)in_flight<T, VECTORS, SHIFTED>;
    j.tiles = (j.to + tile - 1) / tile;
    most_blocks = most_blocks < THREADS ? most_blocks : THREADS;
    unsigned blocks = (unsigned)(j.tiles < most_blocks ? j.tiles : most_blocks);
    int code =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (code != cudaSuccess) return code;
    void *arguments[] = {&j};
    return cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(THREADS), arguments, bytes, 0);
}

template <class T, int VECTORS> static int launch_tiles(job<T> j, int most_blocks) {
    return j.shift == 0 ? launch_kernel<T, VECTORS, false>(j, most_blocks)
                        : launch_kernel<T, VECTORS, true>(j, most_blocks);
}

template <class T>
static int launch(const void *d_x, int64_t n, bool exclusive, void *d_y, void *d_workspace) {
    int device = 0, sms = 0;
    auto beyond = [](const void *p) { return (int)((uintptr_t)p % LINE / sizeof(T)); };
    int from = beyond(d_y), shift = beyond((const T *)d_x - from);
    job<T> j = {
        (const T *)d_x - from - shift, (T *)d_y - from, from, n + from, 0, shift, exclusive};
    j.calls = (unsigned *)d_workspace;
    j.states = (tile_state *)((char *)d_workspace + SCAN_COUNTER_BYTES);
    int code = cudaGetDevice(&device);
    if (code == cudaSuccess) {
        code = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    }
    if (code != cudaSuccess) return code;
    // Small tiles give every SM one of a small array.
    if (n <= (int64_t)sms * 4 * THREADS) return launch_tiles<T, 1>(j, sms);
    if (n <= (int64_t)sms * 12 * THREADS) return launch_tiles<T, 3>(j, sms);
    return launch_tiles<T, 7>(j, sms);
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
// ladder-skeleton 7ac8dd2496c66f0e (as it was handed out; any change makes this file yours)
