// SPDX-License-Identifier: MIT
// Lab 06, step 10: the way of keeping a row is chosen by its length.
//
// - Up to 32768 columns a group of 8 to 1024 threads keeps the row in registers (step 8), with one
//   barrier in place of two: warps exchange their largest element and their sum together, as the
//   blocks of step 9 do.
// - Up to 344064 columns the row is spread over a cluster of 2 to 8 blocks, and in each block over
//   registers and shared memory: then two or three blocks fit an SM, and while one computes, the
//   others load and store. Asynchronous copies fill the shared part; a thread reads only what it
//   copied itself, so they need no barrier.
// - Longer rows: the same, but what does not fit is read again.
//
// Rows whose addresses are all multiples of 16 bytes take versions without heads and tails: in
// small matrices fetching instructions takes as long as anything else.
// The bounds between the ways and their sizes are those that were fastest on an H200 (README.md).
//
// softmax_dispatched.cuh, given, has rows and slices of rows, copies and the launches.
#include "softmax.cuh"
#include "softmax_dispatched.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

// ---- reductions and rows ----

// What is subtracted from a part's elements: -infinity minus itself would be NaN.
__device__ __forceinline__ float base_of(float most) {
    return most == -INFINITY ? 0.0f : most;
}

// The factor that makes exp(x - most) the results of a row of COUNT parts. Up to 4 are read by
// every thread, more by the lanes of each warp together.
template <int COUNT> __device__ __forceinline__ float factor_of(float most, const part_sum *parts) {
    const int shared_by = COUNT <= 4 ? 1 : WARP, own = (COUNT + shared_by - 1) / shared_by;
    part_sum mine[own];
    float largest = -INFINITY, sum = 0.0f;
    // TODO(student): this thread's `own` of the parts; the largest element of all parts, and the
    // sum of sum * exp(most - largest) over them, as in step 9
    return exp_below(most, largest) * reciprocal(sum);
}

// ---- a group of threads per row ----

// GROUP threads per row, a part of a warp or some warps; at least 8 unless EVEN. x, y:
// [rows][columns]; columns / 4 is at most GROUP * SLOTS.
template <int GROUP, int SLOTS, int BLOCK, int BLOCKS_PER_SM, bool EVEN>
__global__ void __launch_bounds__(BLOCK, BLOCKS_PER_SM)
    in_registers(const float *x, int64_t rows, int columns, float *y) {
    int64_t number = (int64_t)blockIdx.x * (BLOCK / GROUP) + threadIdx.x / GROUP;
    int t = threadIdx.x % GROUP;
    softmax_row row = row_of<EVEN>(x, y, number, rows, columns, t);
    // TODO(student): as step 8; but each warp subtracts its own largest element, and the warps
    // exchange {most, sum} once (factor_of). What must a warp subtract that has only
    // -infinity?
}

// ---- a cluster of blocks per row ----

// Gives every block of the cluster what this warp knows, and returns the factor that makes
// exp(x - mine.most) this row's result. parts: this block's [RANKS * WARPS] in shared memory.
template <int RANKS, int WARPS>
__device__ __forceinline__ float exchange(part_sum mine, part_sum *parts) {
    cg::cluster_group cluster = cg::this_cluster();
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    if (lane < RANKS)
        cluster.map_shared_rank(parts, lane)[cluster.block_rank() * WARPS + warp] = mine;
    cluster.sync();
    return factor_of<RANKS * WARPS>(mine.most, parts);
}

// RANKS blocks per row. Of a thread's vectors the first OWN stay in registers, the next SHARED in
// shared memory, [SHARED][THREADS]; REST: there may be more, which are read again.
// x, y: [rows][columns]; without REST columns / 4 is at most RANKS * THREADS * (OWN + SHARED).
template <int RANKS, int THREADS, int OWN, int SHARED, int BLOCKS_PER_SM, bool EVEN, bool REST>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    spread(const float *x, int64_t rows, int columns, float *y) {
    cg::cluster_group cluster = cg::this_cluster();
    int rank = (int)cluster.block_rank(), t = threadIdx.x;
    int64_t at = blockIdx.x / RANKS * (int64_t)columns; // where the row begins
    slice part = slice_of<RANKS, EVEN>(x + at, columns, rank, t);
    // TODO(student): start loading OWN vectors into registers and SHARED into shared memory; then
    // as step 9, where the vectors in shared memory are replaced by their
    // exponentials. Between cluster.barrier_arrive() and barrier_wait() there is
    // time to compute: which of the two must stand before the exchange?
}

extern "C" int softmax_step10(const float *d_x, int64_t rows, int64_t columns, float *d_y) {
    if (!IMPLEMENTED) return SOFTMAX_NOT_IMPLEMENTED;
    if (softmax_refuses(d_x, rows, columns, d_y)) return cudaErrorInvalidValue;
    int n = (int)columns;
    bool even = n % 4 == 0 && (uintptr_t)d_x % sizeof(float4) == 0;
    // TODO(student): which of the launches above is fastest for n columns? Measure.
    if (n <= 32) return launch_group<8, 1, 128, 1>(d_x, rows, n, d_y, even);
    return launch_spread<8, 8, 8, 2, true>(d_x, rows, n, d_y, even);
}
// ladder-skeleton cf3394c9c2054075 (as it was handed out; any change makes this file yours)
