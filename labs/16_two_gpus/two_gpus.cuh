// SPDX-License-Identifier: MIT
// Given to all steps of lab 16: what a rank is made of, the kernels of one device, and flags
// between devices.
#pragma once

#include "two_gpus.h"

#include <cuda_runtime.h>
#include <stdlib.h>

// Leaves the function with the code of a call that fails.
#define TWO_GPUS_TRY(call)                                                                         \
    do {                                                                                           \
        cudaError_t two_gpus_code = (cudaError_t)(call);                                           \
        if (two_gpus_code != cudaSuccess) return two_gpus_code;                                    \
    } while (0)

// ---- ranks --------------------------------------------------------------------------------------

// Makes `ranks` ranks, at most as many as there are devices, each with streams, events and flags.
static inline cudaError_t two_gpus_begin(int ranks, two_gpus_plan *plan) {
    const size_t flags_bytes = (TWO_GPUS_MOST + 1) * TWO_GPUS_BLOCKS * sizeof(unsigned);
    int devices = 0;
    TWO_GPUS_TRY(cudaGetDeviceCount(&devices));
    plan->rank = (two_gpus_rank *)calloc(TWO_GPUS_MOST, sizeof *plan->rank);
    if (!plan->rank) return cudaErrorMemoryAllocation;
    plan->ranks = ranks < devices ? ranks : devices;
    for (int r = 0; r < plan->ranks; r++) {
        two_gpus_rank *rank = &plan->rank[r];
        rank->device = r;
        TWO_GPUS_TRY(cudaSetDevice(r));
        for (int i = 0; i < TWO_GPUS_RANK_STREAMS; i++)
            TWO_GPUS_TRY(cudaStreamCreateWithFlags(&rank->streams[i], cudaStreamNonBlocking));
        for (int i = 0; i < TWO_GPUS_RANK_EVENTS; i++)
            TWO_GPUS_TRY(cudaEventCreateWithFlags(&rank->events[i], cudaEventDisableTiming));
        TWO_GPUS_TRY(cudaMalloc(&rank->d_flags, flags_bytes));
        TWO_GPUS_TRY(cudaMemset(rank->d_flags, 0, flags_bytes));
    }
    return cudaSuccess;
}

static inline cudaError_t two_gpus_begin_arrays(two_gpus_rank *rank, size_t elems) {
    TWO_GPUS_TRY(cudaSetDevice(rank->device));
    TWO_GPUS_TRY(cudaMalloc((void **)&rank->d_x, elems * sizeof(float)));
    TWO_GPUS_TRY(cudaMalloc(&rank->d_y, elems * sizeof(float)));
    return cudaMalloc(&rank->d_work, elems * sizeof(float));
}

// A grid of n x n on at most so many devices: the rows between the first and the last one are dealt
// out evenly.
static inline cudaError_t two_gpus_begin_grid(int64_t n, int ranks, two_gpus_plan *plan) {
    int64_t inner = n - 2;
    TWO_GPUS_TRY(two_gpus_begin(ranks < inner ? ranks : (int)inner, plan));
    for (int r = 0; r < plan->ranks; r++) {
        two_gpus_rank *rank = &plan->rank[r];
        rank->first = 1 + inner * r / plan->ranks;
        rank->rows = 1 + inner * (r + 1) / plan->ranks - rank->first;
        TWO_GPUS_TRY(two_gpus_begin_arrays(rank, (size_t)(rank->rows + 2) * n));
        TWO_GPUS_TRY(cudaMallocHost(&rank->h_edges, 2 * (size_t)n * sizeof(float)));
    }
    return cudaSetDevice(0);
}

// Vectors of n elements on all devices, each with a box of so many bytes.
static inline cudaError_t two_gpus_begin_sum(int64_t n, size_t box_bytes, two_gpus_plan *plan) {
    TWO_GPUS_TRY(two_gpus_begin(TWO_GPUS_MOST, plan));
    for (int r = 0; r < plan->ranks; r++) {
        two_gpus_rank *rank = &plan->rank[r];
        TWO_GPUS_TRY(two_gpus_begin_arrays(rank, (size_t)n));
        if (box_bytes == 0) continue;
        TWO_GPUS_TRY(cudaMalloc(&rank->d_box, box_bytes));
        TWO_GPUS_TRY(cudaMemset(rank->d_box, 0, box_bytes));
    }
    return cudaSetDevice(0);
}

// Each device may use the memory of each other. The kit takes it back.
static inline cudaError_t two_gpus_reach_peers(const two_gpus_plan *plan) {
    for (int r = 0; r < plan->ranks; r++) {
        TWO_GPUS_TRY(cudaSetDevice(r));
        for (int peer = 0; peer < plan->ranks; peer++) {
            if (peer == r) continue;
            cudaError_t code = cudaDeviceEnablePeerAccess(peer, 0);
            if (code != cudaErrorPeerAccessAlreadyEnabled)
                TWO_GPUS_TRY(code);
            else
                cudaGetLastError(); // another plan of the process is open
        }
    }
    return cudaSetDevice(0);
}

// The host waits for all streams of all ranks.
static inline cudaError_t two_gpus_wait(const two_gpus_plan *plan) {
    for (int r = 0; r < plan->ranks; r++)
        for (int i = 0; i < TWO_GPUS_RANK_STREAMS; i++)
            TWO_GPUS_TRY(cudaStreamSynchronize(plan->rank[r].streams[i]));
    return cudaSuccess;
}

// ---- a grid -------------------------------------------------------------------------------------

// The array that iteration t (from 0) reads, and the one that it writes; of rounds likewise.
static inline const float *two_gpus_from(const two_gpus_rank *rank, int t) {
    return t == 0 ? rank->d_x : t % 2 == 1 ? rank->d_work : rank->d_y;
}
static inline float *two_gpus_to(const two_gpus_rank *rank, int t) {
    return t % 2 == 0 ? rank->d_work : rank->d_y;
}

enum { TWO_GPUS_THREADS = 256, TWO_GPUS_TALL = 8 }; // columns and rows of a block

// One column of at most TWO_GPUS_TALL rows [first, end) of a rank's array: [][n]. What it reads
// twice, it keeps. Elements on the grid's left and right edge stay.
static __device__ __forceinline__ void two_gpus_relax_column(const float *d_from, float *d_to,
                                                             int64_t n, int64_t column,
                                                             int64_t first, int64_t end) {
    const bool edge = column == 0 || column == n - 1;
    const float *d_above = d_from + (first - 1) * n + column;
    float rows[TWO_GPUS_TALL + 2];
#pragma unroll
    for (int k = 0; k < TWO_GPUS_TALL + 2; k++)
        if (first + k <= end + 1) rows[k] = d_above[k * n];
#pragma unroll
    for (int k = 0; k < TWO_GPUS_TALL; k++) {
        const float *d_here = d_above + (k + 1) * n;
        if (first + k >= end) break;
        float sum = edge ? 0 : (rows[k] + rows[k + 2]) + (d_here[-1] + d_here[1]);
        d_to[(first + k) * n + column] = edge ? rows[k + 1] : 0.25f * sum;
    }
}

// Of rows [first, end) those that begin each `step` rows, `tall` of them together.
static __global__ void two_gpus_relax_kernel(const float *d_from, float *d_to, int64_t n,
                                             int64_t first, int64_t end, int64_t step, int tall) {
    int64_t column = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t top = first + blockIdx.y * step;
    if (column < n) two_gpus_relax_column(d_from, d_to, n, column, top, min(top + tall, end));
}

// Blocks for so many rows.
static inline dim3 two_gpus_relax_blocks(int64_t n, int64_t rows) {
    return dim3((unsigned)((n + TWO_GPUS_THREADS - 1) / TWO_GPUS_THREADS),
                (unsigned)((rows + TWO_GPUS_TALL - 1) / TWO_GPUS_TALL));
}

// Rows [first, end) of a rank's array, of which row 1 is the first of its own: d_to of d_from, both
// [rows + 2][n]. In a stream of the rank; its device becomes the current one.
static inline cudaError_t two_gpus_relax(const two_gpus_rank *rank, const float *d_from,
                                         float *d_to, int64_t n, int64_t first, int64_t end,
                                         cudaStream_t stream) {
    if (end <= first) return cudaSuccess;
    TWO_GPUS_TRY(cudaSetDevice(rank->device));
    two_gpus_relax_kernel<<<two_gpus_relax_blocks(n, end - first), TWO_GPUS_THREADS, 0, stream>>>(
        d_from, d_to, n, first, end, TWO_GPUS_TALL, TWO_GPUS_TALL);
    return cudaGetLastError();
}

// Likewise the first and the last row of the rank's own, in one launch.
static inline cudaError_t two_gpus_relax_edges(const two_gpus_rank *rank, const float *d_from,
                                               float *d_to, int64_t n, cudaStream_t stream) {
    dim3 blocks = two_gpus_relax_blocks(n, 1);
    blocks.y = rank->rows > 1 ? 2 : 1;
    TWO_GPUS_TRY(cudaSetDevice(rank->device));
    two_gpus_relax_kernel<<<blocks, TWO_GPUS_THREADS, 0, stream>>>(
        d_from, d_to, n, 1, rank->rows + 1, rank->rows - 1, 1);
    return cudaGetLastError();
}

// ---- a sum --------------------------------------------------------------------------------------

static __global__ void two_gpus_add_kernel(const float *d_a, const float *d_b, float *d_to,
                                           int64_t n) {
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += stride)
        d_to[i] = d_a[i] + d_b[i];
}

// d_to[i] = d_a[i] + d_b[i] for n elements. In a stream of the rank; its device becomes the current
// one.
static inline cudaError_t two_gpus_add(const two_gpus_rank *rank, const float *d_a,
                                       const float *d_b, float *d_to, int64_t n,
                                       cudaStream_t stream) {
    if (n <= 0) return cudaSuccess;
    int64_t blocks = (n + 255) / 256;
    TWO_GPUS_TRY(cudaSetDevice(rank->device));
    two_gpus_add_kernel<<<(unsigned)(blocks < 1056 ? blocks : 1056), 256, 0, stream>>>(d_a, d_b,
                                                                                       d_to, n);
    return cudaGetLastError();
}

// Part p of `parts` of n elements begins here, at a multiple of four; part `parts` begins at n.
static __host__ __device__ inline int64_t two_gpus_part(int64_t n, int p, int parts) {
    int64_t at = (n * p / parts + 3) / 4 * 4;
    return p == parts || at > n ? n : at;
}

// A pointer of each rank, as an argument of a kernel.
typedef struct two_gpus_pointers {
    void *of[TWO_GPUS_MOST];
} two_gpus_pointers;

// The flags of all ranks. Those of one rank: [ranks][TWO_GPUS_BLOCKS], which the block of this
// number of each rank sets; then [TWO_GPUS_BLOCKS], how many rounds each block of its own has done.
static inline two_gpus_pointers two_gpus_all_flags(const two_gpus_plan *plan) {
    two_gpus_pointers all = {{0}};
    for (int r = 0; r < plan->ranks; r++) all.of[r] = plan->rank[r].d_flags;
    return all;
}

// What all ranks read in round t, or write.
static inline two_gpus_pointers two_gpus_all_from(const two_gpus_plan *plan, int t) {
    two_gpus_pointers all = {{0}};
    for (int r = 0; r < plan->ranks; r++) all.of[r] = (void *)two_gpus_from(&plan->rank[r], t);
    return all;
}
static inline two_gpus_pointers two_gpus_all_to(const two_gpus_plan *plan, int t) {
    two_gpus_pointers all = {{0}};
    for (int r = 0; r < plan->ranks; r++) all.of[r] = two_gpus_to(&plan->rank[r], t);
    return all;
}

// ---- flags --------------------------------------------------------------------------------------

// A flag that another device, or another block of this one, reads: a thread that sees the value
// sees all that the caller's block wrote before a barrier that comes before this.
static __device__ __forceinline__ void two_gpus_release(unsigned *d_flag, unsigned value) {
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(d_flag), "r"(value) : "memory");
}

static __device__ __forceinline__ unsigned two_gpus_acquire(const unsigned *d_flag) {
    unsigned value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(d_flag) : "memory");
    return value;
}

// Waits until the flag has this value or has gone past it.
static __device__ __forceinline__ void two_gpus_await(const unsigned *d_flag, unsigned value) {
    while ((int)(two_gpus_acquire(d_flag) - value) < 0) {
    }
}

// The same between blocks of one device, which is faster: other devices may see the value before
// what was written.
static __device__ __forceinline__ void two_gpus_release_near(unsigned *d_flag, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(d_flag), "r"(value) : "memory");
}

static __device__ __forceinline__ void two_gpus_await_near(const unsigned *d_flag, unsigned value) {
    unsigned now;
    do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(d_flag) : "memory");
    } while ((int)(now - value) < 0);
}

// The round that this block begins, from 1.
static __device__ __forceinline__ unsigned two_gpus_round(const unsigned *d_own_flags) {
    return d_own_flags[TWO_GPUS_MOST * TWO_GPUS_BLOCKS + blockIdx.x] + 1;
}
// All threads of the block are done with it.
static __device__ __forceinline__ void two_gpus_end_round(unsigned *d_own_flags, unsigned round) {
    __syncthreads();
    if (threadIdx.x == 0) d_own_flags[TWO_GPUS_MOST * TWO_GPUS_BLOCKS + blockIdx.x] = round;
}

// Two words that are written, and read, as one: a value and the flag that says it is there.
static __device__ __forceinline__ void two_gpus_put_flagged(void *d_at, float a, float b,
                                                            unsigned flag) {
    uint64_t low = (uint64_t)flag << 32 | __float_as_uint(a);
    uint64_t high = (uint64_t)flag << 32 | __float_as_uint(b);
    asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(d_at), "l"(low), "l"(high)
                 : "memory");
}

// Waits until both flags are there.
static __device__ __forceinline__ void two_gpus_get_flagged(const void *d_at, unsigned flag,
                                                            float *out_a, float *out_b) {
    uint64_t low, high;
    do {
        asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(low), "=l"(high)
                     : "l"(d_at)
                     : "memory");
    } while ((unsigned)(low >> 32) != flag || (unsigned)(high >> 32) != flag);
    *out_a = __uint_as_float((unsigned)low);
    *out_b = __uint_as_float((unsigned)high);
}
