// SPDX-License-Identifier: MIT
// Lab 06, step 9: rows too long for one SM. A cluster of blocks, which run at the same time on
// neighbouring SMs, shares a row: each keeps a slice of it in registers, and the blocks exchange
// their slices' largest elements and sums through each other's shared memory (distributed shared
// memory). CUDA C++ Programming Guide, "Thread Block Clusters".
//
// What it fixes: rows up to 262144 columns are read once.
// Why it is slow: a cluster loads nothing while it computes and stores.
#include "softmax.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define WARP       32
#define THREADS    512
#define WARPS      (THREADS / WARP)
#define MOST_SLOTS 16 // vectors per thread: 512 threads keep 32768 floats
#define MOST_RANKS 8  // blocks per cluster that every device with clusters allows

// What a block knows of its slice.
typedef struct slice_sum {
    float most; // largest element
    float sum;  // of exp(x - most); 0 when most is -infinity
} slice_sum;

// The largest value, or the sum, of the block's threads, in each of them. of_warp: [WARPS], not in
// use elsewhere.
__device__ __forceinline__ float block_max(float value, float *of_warp) {
    // SOLUTION BEGIN
    int lane = threadIdx.x % WARP;
    for (int distance = WARP / 2; distance >= 1; distance /= 2)
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, distance));
    if (lane == 0) of_warp[threadIdx.x / WARP] = value;
    __syncthreads();
    value = lane < WARPS ? of_warp[lane] : -INFINITY;
    for (int distance = WARP / 2; distance >= 1; distance /= 2)
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, distance));
    // SOLUTION TODO: as in step 8
    return value;
}

__device__ __forceinline__ float block_sum(float value, float *of_warp) {
    // SOLUTION BEGIN
    int lane = threadIdx.x % WARP;
    for (int distance = WARP / 2; distance >= 1; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    if (lane == 0) of_warp[threadIdx.x / WARP] = value;
    __syncthreads();
    value = lane < WARPS ? of_warp[lane] : 0.0f;
    for (int distance = WARP / 2; distance >= 1; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    // SOLUTION TODO: as in step 8
    return value;
}

// Gives every block of the cluster what this one knows, and returns the factor that makes
// exp(x - mine.most) this row's result. of_rank: this block's [MOST_RANKS] in shared memory.
__device__ __forceinline__ float exchange(slice_sum mine, slice_sum *of_rank) {
    cg::cluster_group cluster = cg::this_cluster();
    float most = -INFINITY, sum = 0.0f;
    // SOLUTION BEGIN
    int ranks = (int)cluster.num_blocks(), rank = (int)cluster.block_rank();
    if ((int)threadIdx.x < ranks) // thread r writes into block r
        cluster.map_shared_rank(of_rank, threadIdx.x)[rank] = mine;
    cluster.sync(); // all have written; no block's shared memory is written after this
    for (int r = 0; r < ranks; r++) most = fmaxf(most, of_rank[r].most);
    for (int r = 0; r < ranks; r++) sum += of_rank[r].sum * exp_below(of_rank[r].most, most);
    // SOLUTION TODO: cluster.map_shared_rank(of_rank, r) is block r's array. Write `mine` to
    // SOLUTION TODO: element cluster.block_rank() of each block's, wait for the cluster, and
    // SOLUTION TODO: combine the slices as step 7 combines lanes.
    return exp_below(mine.most, most) / sum;
}

// A cluster per row; SLOTS vectors per thread are kept, the rest of a slice is read again.
// x, y: [rows][columns]
template <int SLOTS>
__global__ void __launch_bounds__(THREADS)
    clustered(const float *x, int64_t rows, int columns, float *y) {
    cg::cluster_group cluster = cg::this_cluster();
    int ranks = (int)cluster.num_blocks(), rank = (int)cluster.block_rank(), t = threadIdx.x;
    softmax_row row = row_parts(x, y, blockIdx.x / ranks, rows, columns, t);
    if (rank != 0) row.edge = NULL; // the first block has it
    // SOLUTION BEGIN
    __shared__ float of_warp[2][WARPS];
    __shared__ slice_sum of_rank[MOST_RANKS];
    int slice = (row.count4 + ranks - 1) / ranks;
    int begin = min(rank * slice, row.count4) + t, end = min((rank + 1) * slice, row.count4);
    float4 v[SLOTS];
    float edge = row.edge ? *row.edge : -INFINITY;
    slice_sum mine = {edge, 0.0f};
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        int i = begin + k * THREADS;
        v[k] = i < end ? row.from[i] : all4(-INFINITY);
    }
    cluster
        .sync(); // while the loads are under way: all blocks run, so their shared memory is there
#pragma unroll
    for (int k = 0; k < SLOTS; k++) mine.most = fmaxf(mine.most, max4(v[k]));
    for (int i = begin + SLOTS * THREADS; i < end; i += THREADS)
        mine.most = fmaxf(mine.most, max4(row.from[i]));
    mine.most = block_max(mine.most, of_warp[0]);
    float base = mine.most == -INFINITY ? 0.0f : mine.most;
    edge = exp_below(edge, base);
    float sum = edge;
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        v[k] = exp4_below(v[k], base);
        sum += sum4(v[k]);
    }
    for (int i = begin + SLOTS * THREADS; i < end; i += THREADS)
        sum += sum4(exp4_below(row.from[i], base));
    mine.sum = block_sum(sum, of_warp[1]);
    float factor = exchange(mine, of_rank);
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        int i = begin + k * THREADS;
        if (i < end) store4(&row, i, scale4(v[k], factor));
    }
    for (int i = begin + SLOTS * THREADS; i < end; i += THREADS)
        store4(&row, i, scale4(exp4_below(row.from[i], base), factor));
    if (row.edge) *row.edge_to = edge * factor;
    // SOLUTION TODO: this block's slice of the row's vectors; its largest element; exponentials in
    // SOLUTION TODO: place and their sum, both as in step 8; exchange; the stores. Blocks whose
    // SOLUTION TODO: slice is empty or -infinity alone must not make NaN of another block's sum.
}

template <int SLOTS>
static int launch(const float *d_x, int64_t rows, int columns, float *d_y, unsigned ranks) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = ranks;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3((unsigned)rows * ranks);
    config.blockDim = dim3(THREADS);
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, clustered<SLOTS>, d_x, rows, columns, d_y);
}

extern "C" int softmax_step9(const float *d_x, int64_t rows, int64_t columns, float *d_y) {
    if (!IMPLEMENTED) return SOFTMAX_NOT_IMPLEMENTED;
    if (softmax_refuses(d_x, rows, columns, d_y)) return cudaErrorInvalidValue;
    int n = (int)columns;
    const int slot = THREADS * 4; // floats that the threads of a block keep in one register each
    if (rows > SOFTMAX_MOST_SIDE / MOST_RANKS) return cudaErrorInvalidConfiguration;
    if (n <= 2 * 4 * slot) return launch<4>(d_x, rows, n, d_y, 2);
    if (n <= 4 * 8 * slot) return launch<8>(d_x, rows, n, d_y, 4);
    if (n <= 8 * 8 * slot) return launch<8>(d_x, rows, n, d_y, 8);
    return launch<MOST_SLOTS>(d_x, rows, n, d_y, MOST_RANKS);
}
