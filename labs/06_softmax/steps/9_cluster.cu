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

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

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
    // TODO(student): as in step 8
    return value;
}

__device__ __forceinline__ float block_sum(float value, float *of_warp) {
    // TODO(student): as in step 8
    return value;
}

// Gives every block of the cluster what this one knows, and returns the factor that makes
// exp(x - mine.most) this row's result. of_rank: this block's [MOST_RANKS] in shared memory.
__device__ __forceinline__ float exchange(slice_sum mine, slice_sum *of_rank) {
    cg::cluster_group cluster = cg::this_cluster();
    float most = -INFINITY, sum = 0.0f;
    // TODO(student): cluster.map_shared_rank(of_rank, r) is block r's array. Write `mine` to
    // element cluster.block_rank() of each block's, wait for the cluster, and
    // combine the slices as step 7 combines lanes.
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
    // TODO(student): this block's slice of the row's vectors; its largest element; exponentials in
    // place and their sum, both as in step 8; exchange; the stores. Blocks whose
    // slice is empty or -infinity alone must not make NaN of another block's sum.
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
// ladder-skeleton db7975a96fecb479 (as it was handed out; any change makes this file yours)
