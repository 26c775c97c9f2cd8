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

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

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
    // SOLUTION BEGIN
#pragma unroll
    for (int k = 0; k < own; k++) {
        int i = shared_by == 1 ? k : k * WARP + (int)threadIdx.x % WARP;
        mine[k] = i < COUNT ? parts[i] : part_sum{-INFINITY, 0.0f};
        largest = fmaxf(largest, mine[k].most);
    }
    largest = lanes_max<shared_by>(largest);
#pragma unroll
    for (int k = 0; k < own; k++) sum += mine[k].sum * exp_below(mine[k].most, largest);
    sum = lanes_sum<shared_by>(sum);
    // SOLUTION TODO: this thread's `own` of the parts; the largest element of all parts, and the
    // SOLUTION TODO: sum of sum * exp(most - largest) over them, as in step 9
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
    // SOLUTION BEGIN
    const int lanes = GROUP < WARP ? GROUP : WARP, warps = GROUP / lanes;
    __shared__ part_sum parts[BLOCK / lanes];
    float4 v[SLOTS];
#pragma unroll
    for (int k = 0; k < SLOTS; k++) v[k] = load_slot<GROUP, EVEN>(row, k, t);
    float edge = row.edge ? *row.edge : -INFINITY;
    float most = lanes_max<lanes>(fmaxf(edge, max_slots<SLOTS>(v)));
    float base = warps == 1 ? most : base_of(most), sum = exp_slots<SLOTS>(v, base);
    if (row.edge) sum += edge = exp_below(edge, base);
    sum = lanes_sum<lanes>(sum);
    float factor;
    if (warps == 1) {
        factor = reciprocal(sum);
    } else {
        if (threadIdx.x % WARP == 0) parts[threadIdx.x / WARP] = part_sum{most, sum};
        __syncthreads();
        factor = factor_of<warps>(most, parts + threadIdx.x / GROUP * warps);
    }
#pragma unroll
    for (int k = 0; k < SLOTS; k++) store_slot<GROUP, EVEN>(row, k, t, scale4(v[k], factor));
    if (row.edge) *row.edge_to = edge * factor;
    // SOLUTION TODO: as step 8; but each warp subtracts its own largest element, and the warps
    // SOLUTION TODO: exchange {most, sum} once (factor_of). What must a warp subtract that has only
    // SOLUTION TODO: -infinity?
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
    // SOLUTION BEGIN
    const int warps = THREADS / WARP, kept = OWN + SHARED;
    extern __shared__ float4 slots[];
    __shared__ part_sum parts[RANKS * warps];
    float4 v[OWN], *mine = slots + t;
#pragma unroll
    for (int k = 0; k < OWN; k++)
        v[k] = k * THREADS < part.count ? part.from[k * THREADS] : all4(-INFINITY);
#pragma unroll
    for (int k = OWN; k < kept; k++)
        if (k * THREADS < part.count)
            start_copy(mine + (k - OWN) * THREADS, part.from + k * THREADS);
    int at_edge = EVEN ? -1 : edge_of(x + at, columns, rank, t);
    float edge = at_edge >= 0 ? x[at + at_edge] : -INFINITY;
    cluster.barrier_arrive(); // this block runs: its shared memory is there

    float most = fmaxf(edge, max_slots<OWN>(v));
    wait_for_copies();
#pragma unroll
    for (int k = OWN; k < kept; k++)
        if (k * THREADS < part.count) most = fmaxf(most, max4(mine[(k - OWN) * THREADS]));
    if (REST)
        for (int k = kept * THREADS; k < part.count; k += THREADS)
            most = fmaxf(most, max4(part.from[k]));
    most = lanes_max<WARP>(most);

    float base = base_of(most), sum = exp_slots<OWN>(v, base);
#pragma unroll
    for (int k = OWN; k < kept; k++) {
        if (k * THREADS < part.count) {
            float4 *slot = mine + (k - OWN) * THREADS;
            *slot = exp4_below(*slot, base);
            sum += sum4(*slot);
        }
    }
    if (REST)
        for (int k = kept * THREADS; k < part.count; k += THREADS)
            sum += sum4(exp4_below(part.from[k], base));
    if (!EVEN) sum += edge = exp_below(edge, base);
    cluster.barrier_wait(); // all blocks run
    float factor = exchange<RANKS, warps>(part_sum{most, lanes_sum<WARP>(sum)}, parts);

    softmax_row to = {NULL, y + ((const float *)part.from - x), 0, true, NULL, NULL};
    to.wide = EVEN || (uintptr_t)to.to % sizeof(float4) == 0;
#pragma unroll
    for (int k = 0; k < OWN; k++)
        if (k * THREADS < part.count) store4(&to, k * THREADS, scale4(v[k], factor));
#pragma unroll
    for (int k = OWN; k < kept; k++)
        if (k * THREADS < part.count)
            store4(&to, k * THREADS, scale4(mine[(k - OWN) * THREADS], factor));
    if (REST)
        for (int k = kept * THREADS; k < part.count; k += THREADS)
            store4(&to, k, scale4(exp4_below(part.from[k], base), factor));
    if (at_edge >= 0) y[at + at_edge] = edge * factor;
    // SOLUTION TODO: start loading OWN vectors into registers and SHARED into shared memory; then
    // SOLUTION TODO: as step 9, where the vectors in shared memory are replaced by their
    // SOLUTION TODO: exponentials. Between cluster.barrier_arrive() and barrier_wait() there is
    // SOLUTION TODO: time to compute: which of the two must stand before the exchange?
}

extern "C" int softmax_step10(const float *d_x, int64_t rows, int64_t columns, float *d_y) {
    if (!IMPLEMENTED) return SOFTMAX_NOT_IMPLEMENTED;
    if (softmax_refuses(d_x, rows, columns, d_y)) return cudaErrorInvalidValue;
    int n = (int)columns;
    bool even = n % 4 == 0 && (uintptr_t)d_x % sizeof(float4) == 0;
    // SOLUTION BEGIN
    if (n <= 8 && even) return launch_group<2, 1, 128, 1>(d_x, rows, n, d_y, even);
    if (n <= 16 && even) return launch_group<4, 1, 128, 1>(d_x, rows, n, d_y, even);
    if (n <= 32) return launch_group<8, 1, 128, 1>(d_x, rows, n, d_y, even);
    if (n <= 64 && !even) return launch_group<8, 2, 128, 1>(d_x, rows, n, d_y, even);
    if (n <= 64) return launch_group<16, 1, 128, 1>(d_x, rows, n, d_y, even);
    if (n <= 128) return launch_group<16, 2, 128, 1>(d_x, rows, n, d_y, even);
    if (n <= 256) return launch_group<32, 2, 128, 1>(d_x, rows, n, d_y, even);
    if (n <= 512) return launch_group<32, 4, 64, 1>(d_x, rows, n, d_y, even);
    if (n <= 1024) return launch_group<128, 2, 128, 1>(d_x, rows, n, d_y, even);
    if (n <= 2048) return launch_group<128, 4, 128, 1>(d_x, rows, n, d_y, even);
    if (n <= 4096) return launch_group<256, 4, 256, 1>(d_x, rows, n, d_y, even);
    if (n <= 5120) return launch_group<256, 5, 256, 1>(d_x, rows, n, d_y, even);
    if (n <= 8192) return launch_group<512, 4, 512, 3>(d_x, rows, n, d_y, even);
    if (n <= 16384) return launch_group<512, 8, 512, 2>(d_x, rows, n, d_y, even);
    // Few rows: all SMs share them.
    if (rows <= 16 && n <= 262144) return launch_spread<8, 8, 8, 2, false>(d_x, rows, n, d_y, even);
    if (n <= 32768) return launch_group<1024, 8, 1024, 1>(d_x, rows, n, d_y, even);
    if (n <= 49152) return launch_spread<2, 4, 8, 3, false>(d_x, rows, n, d_y, even);
    if (n <= 53248) return launch_spread<2, 10, 3, 2, false>(d_x, rows, n, d_y, even);
    if (n <= 65536) return launch_spread<2, 8, 8, 2, false>(d_x, rows, n, d_y, even);
    if (n <= 98304) return launch_spread<4, 4, 8, 3, false>(d_x, rows, n, d_y, even);
    if (n <= 131072) return launch_spread<4, 8, 8, 2, false>(d_x, rows, n, d_y, even);
    if (n <= 163840) return launch_spread<5, 8, 8, 2, false>(d_x, rows, n, d_y, even);
    if (n <= 196608) return launch_spread<6, 8, 8, 2, false>(d_x, rows, n, d_y, even);
    if (n <= 262144) return launch_spread<8, 8, 8, 2, false>(d_x, rows, n, d_y, even);
    if (n <= 344064) return launch_spread<8, 8, 13, 2, false>(d_x, rows, n, d_y, even);
    return launch_spread<8, 8, 8, 2, true>(d_x, rows, n, d_y, even);
    // SOLUTION TODO: which of the launches above is fastest for n columns? Measure.
    // SOLUTION STUB: if (n <= 32) return launch_group<8, 1, 128, 1>(d_x, rows, n, d_y, even);
    // SOLUTION STUB: return launch_spread<8, 8, 8, 2, true>(d_x, rows, n, d_y, even);
}
