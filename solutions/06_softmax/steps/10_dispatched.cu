// SPDX-License-Identifier: MIT
// Lab 06, step 10: the way of keeping a row is chosen by its length.
//
// - Up to 16384 columns a group of 8 to 512 threads keeps the row in registers (step 8).
// - Up to 262144 columns clusters of 2, 4 or 8 blocks stay on their SMs and go from row to row: while
//   a row is in registers, the copies of the next row's slice into shared memory are under way. A
//   thread reads only what it copied itself, so the copies need no barrier. Rows whose addresses are
//   all multiples of 16 bytes take a version without heads and tails.
// - Longer rows: step 9, which reads again what does not fit.
//
// The bounds between the ways and their sizes are those that were fastest on an H200 (README.md).
#include "softmax.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// SOLUTION BEGIN
#define IMPLEMENTED 1
// SOLUTION TODO: set this to 1 when you have written the code below
// SOLUTION STUB: #define IMPLEMENTED 0
// SOLUTION END

#define WARP       32
#define MOST_WARPS 32
#define MOST_RANKS 8 // blocks per cluster that every device with clusters allows
#define LINE       8 // vectors in 128 bytes: slices begin at cache lines if rows do

// What a block knows of its slice.
typedef struct slice_sum {
    float most; // largest element
    float sum;  // of exp(x - most); 0 when most is -infinity
} slice_sum;

// ---- reductions and rows ----

// The largest value, or the sum, of THREADS neighbouring threads, which are part of a warp or whole
// warps of a block; in each of them. of_warp: [MOST_WARPS], not in use elsewhere.
template <int THREADS> __device__ __forceinline__ float all_max(float value, float *of_warp) {
    for (int distance = min(THREADS, WARP) / 2; distance >= 1; distance /= 2)
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, distance));
    if (THREADS <= WARP) return value;
    int lane = threadIdx.x % WARP;
    if (lane == 0) of_warp[threadIdx.x / WARP] = value;
    __syncthreads();
    value = lane < THREADS / WARP ? of_warp[lane] : -INFINITY;
    for (int distance = WARP / 2; distance >= 1; distance /= 2)
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, distance));
    return value;
}

template <int THREADS> __device__ __forceinline__ float all_sum(float value, float *of_warp) {
    for (int distance = min(THREADS, WARP) / 2; distance >= 1; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    if (THREADS <= WARP) return value;
    int lane = threadIdx.x % WARP;
    if (lane == 0) of_warp[threadIdx.x / WARP] = value;
    __syncthreads();
    value = lane < THREADS / WARP ? of_warp[lane] : 0.0f;
    for (int distance = WARP / 2; distance >= 1; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    return value;
}

// As row_parts. EVEN: every row of x and of y begins at a multiple of 16 bytes and has no edge.
template <bool EVEN>
__device__ __forceinline__ softmax_row row_of(const float *x, float *y, int64_t row, int64_t rows,
                                              int columns, int t) {
    if (!EVEN) return row_parts(x, y, row, rows, columns, t);
    bool exists = row < rows;
    softmax_row parts = {(const float4 *)(x + row * columns),
                         y + row * columns,
                         exists ? columns / 4 : 0,
                         true,
                         NULL,
                         NULL};
    return parts;
}

// The exponentials of SLOTS vectors in place; returns their sum.
template <int SLOTS> __device__ __forceinline__ float exp_slots(float4 *v, float most) {
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        v[k] = exp4_below(v[k], most);
        sum += sum4(v[k]);
    }
    return sum;
}

template <int SLOTS> __device__ __forceinline__ float max_slots(const float4 *v) {
    float most = -INFINITY;
#pragma unroll
    for (int k = 0; k < SLOTS; k++) most = fmaxf(most, max4(v[k]));
    return most;
}

// ---- a group of threads per row ----

// GROUP threads per row, a part of a warp or the whole block. x, y: [rows][columns]; columns / 4 is at
// most GROUP * SLOTS.
template <int GROUP, int SLOTS, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    in_registers(const float *x, int64_t rows, int columns, float *y) {
    int64_t number = (int64_t)blockIdx.x * (BLOCK / GROUP) + threadIdx.x / GROUP;
    int t = threadIdx.x % GROUP;
    softmax_row row = row_parts(x, y, number, rows, columns, t);
    // SOLUTION BEGIN
    __shared__ float of_warp[2][MOST_WARPS];
    float4 v[SLOTS];
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        int i = t + k * GROUP;
        v[k] = i < row.count4 ? row.from[i] : all4(-INFINITY);
    }
    float edge = row.edge ? *row.edge : -INFINITY;
    float most = all_max<GROUP>(fmaxf(edge, max_slots<SLOTS>(v)), of_warp[0]);
    float sum = exp_slots<SLOTS>(v, most);
    if (row.edge) sum += edge = exp_below(edge, most);
    float factor = 1.0f / all_sum<GROUP>(sum, of_warp[1]);
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        int i = t + k * GROUP;
        if (i < row.count4) store4(&row, i, scale4(v[k], factor));
    }
    if (row.edge) *row.edge_to = edge * factor;
    // SOLUTION TODO: as step 8
    // SOLUTION END
}

// ---- a cluster of blocks per row ----

// Gives every block of the cluster what this one knows, and returns the factor that makes
// exp(x - mine.most) this row's result. of_rank: this block's [RANKS] in shared memory, which nobody
// reads any more. The number of blocks is a constant so that the loops unroll: every thread waits
// for them.
template <int RANKS> __device__ __forceinline__ float exchange(slice_sum mine, slice_sum *of_rank) {
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < RANKS)
        cluster.map_shared_rank(of_rank, threadIdx.x)[cluster.block_rank()] = mine;
    cluster.sync();
    float most = -INFINITY, sum = 0.0f;
#pragma unroll
    for (int r = 0; r < RANKS; r++) most = fmaxf(most, of_rank[r].most);
#pragma unroll
    for (int r = 0; r < RANKS; r++) sum += of_rank[r].sum * exp_below(of_rank[r].most, most);
    return exp_below(mine.most, most) / sum;
}

// What is subtracted from a slice's elements: -infinity minus itself would be NaN.
__device__ __forceinline__ float base_of(float most) {
    return most == -INFINITY ? 0.0f : most;
}

// SLOTS vectors per thread are kept, the rest of a slice is read again. x, y: [rows][columns]
template <int THREADS, int SLOTS>
__global__ void __launch_bounds__(THREADS)
    clustered(const float *x, int64_t rows, int columns, float *y) {
    cg::cluster_group cluster = cg::this_cluster();
    const int ranks = MOST_RANKS;
    int rank = (int)cluster.block_rank(), t = threadIdx.x;
    softmax_row row = row_parts(x, y, blockIdx.x / ranks, rows, columns, t);
    if (rank != 0) row.edge = NULL; // the first block has it
    // SOLUTION BEGIN
    __shared__ float of_warp[2][MOST_WARPS];
    __shared__ slice_sum of_rank[MOST_RANKS];
    int slice = (row.count4 + ranks - 1) / ranks;
    int begin = min(rank * slice, row.count4) + t, end = min((rank + 1) * slice, row.count4);
    float4 v[SLOTS];
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        int i = begin + k * THREADS;
        v[k] = i < end ? row.from[i] : all4(-INFINITY);
    }
    cluster
        .sync(); // while the loads are under way: all blocks run, so their shared memory is there
    float edge = row.edge ? *row.edge : -INFINITY, most = fmaxf(edge, max_slots<SLOTS>(v));
    for (int i = begin + SLOTS * THREADS; i < end; i += THREADS)
        most = fmaxf(most, max4(row.from[i]));
    most = all_max<THREADS>(most, of_warp[0]);
    float base = base_of(most), sum = edge = exp_below(edge, base);
    sum += exp_slots<SLOTS>(v, base);
    for (int i = begin + SLOTS * THREADS; i < end; i += THREADS)
        sum += sum4(exp4_below(row.from[i], base));
    slice_sum mine = {most, all_sum<THREADS>(sum, of_warp[1])};
    float factor = exchange<MOST_RANKS>(mine, of_rank);
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        int i = begin + k * THREADS;
        if (i < end) store4(&row, i, scale4(v[k], factor));
    }
    for (int i = begin + SLOTS * THREADS; i < end; i += THREADS)
        store4(&row, i, scale4(exp4_below(row.from[i], base), factor));
    if (row.edge) *row.edge_to = edge * factor;
    // SOLUTION TODO: as step 9
    // SOLUTION END
}

// ---- clusters that go from row to row ----

// This block's part of a row: vectors begin .. end - 1.
typedef struct slice_range {
    int begin, end;
} slice_range;

template <int RANKS> __device__ __forceinline__ slice_range slice_of(int count4, int rank) {
    int length = ((count4 + RANKS - 1) / RANKS + LINE - 1) / LINE * LINE;
    slice_range range = {min(rank * length, count4), min((rank + 1) * length, count4)};
    return range;
}

// Starts the copies of this thread's vectors of a row's slice into its own slots.
template <int RANKS, int THREADS, int SLOTS>
__device__ __forceinline__ void start_copies(float4 *slots, const softmax_row *row, int rank) {
    slice_range range = slice_of<RANKS>(row->count4, rank);
    unsigned to = (unsigned)__cvta_generic_to_shared(slots + threadIdx.x);
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        int i = range.begin + (int)threadIdx.x + k * THREADS;
        if (i < range.end)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                             to + k * THREADS * (unsigned)sizeof(float4)),
                         "l"(row->from + i)
                         : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// RANKS blocks per row; cluster c has the rows c, c + clusters, ... x, y: [rows][columns];
// columns / 4 is at most RANKS * THREADS * SLOTS. Shared memory: [SLOTS][THREADS] vectors.
template <int RANKS, int THREADS, int SLOTS, int BLOCKS_PER_SM, bool EVEN>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    prefetched(const float *x, int64_t rows, int columns, float *y) {
    // SOLUTION BEGIN
    extern __shared__ float4 slots[];
    __shared__ float of_warp[2][MOST_WARPS];
    __shared__ slice_sum of_rank[2][MOST_RANKS]; // of this row and of the next, alternately
    cg::cluster_group cluster = cg::this_cluster();
    int rank = (int)cluster.block_rank(), t = threadIdx.x, half = 0;
    int64_t clusters = gridDim.x / RANKS, number = blockIdx.x / RANKS;
    softmax_row next = row_of<EVEN>(x, y, number, rows, columns, t);
    start_copies<RANKS, THREADS, SLOTS>(slots, &next, rank);
    cluster.sync(); // all blocks run: their shared memory is there
    for (; number < rows; number += clusters, half ^= 1) {
        softmax_row row = next;
        slice_range range = slice_of<RANKS>(row.count4, rank);
        if (rank != 0) row.edge = NULL; // the first block has it
        float edge = row.edge ? *row.edge : -INFINITY;
        float4 v[SLOTS];
        asm volatile("cp.async.wait_group 0;" ::: "memory");
#pragma unroll
        for (int k = 0; k < SLOTS; k++) {
            int i = range.begin + t + k * THREADS;
            v[k] = i < range.end ? slots[t + k * THREADS] : all4(-INFINITY);
        }
        float most = fmaxf(edge, max_slots<SLOTS>(v)); // all slots are read: they are free
        next = row_of<EVEN>(x, y, number + clusters, rows, columns, t);
        start_copies<RANKS, THREADS, SLOTS>(slots, &next, rank);
        most = all_max<THREADS>(most, of_warp[0]);
        float base = base_of(most), sum = exp_slots<SLOTS>(v, base);
        if (row.edge) sum += edge = exp_below(edge, base);
        slice_sum mine = {most, all_sum<THREADS>(sum, of_warp[1])};
        float factor = exchange<RANKS>(mine, of_rank[half]);
#pragma unroll
        for (int k = 0; k < SLOTS; k++) {
            int i = range.begin + t + k * THREADS;
            if (i < range.end) store4(&row, i, scale4(v[k], factor));
        }
        if (row.edge) *row.edge_to = edge * factor;
    }
    // SOLUTION TODO: start the copies of the first row. For each row: wait for its copies, take it into
    // SOLUTION TODO: registers, start the copies of the next row (row_of gives one that is empty
    // SOLUTION TODO: behind the last), then the same as in step 9. Why do two of_rank suffice?
    // SOLUTION END
}

// ---- launches ----

template <int GROUP, int SLOTS, int BLOCK>
static int launch_group(const float *d_x, int64_t rows, int columns, float *d_y) {
    const int64_t per_block = BLOCK / GROUP;
    unsigned blocks = (unsigned)((rows + per_block - 1) / per_block);
    in_registers<GROUP, SLOTS, BLOCK><<<blocks, BLOCK>>>(d_x, rows, columns, d_y);
    return cudaGetLastError();
}

// A launch of `clusters` clusters of `ranks` blocks.
static cudaLaunchConfig_t cluster_config(cudaLaunchAttribute *attribute, unsigned clusters,
                                         unsigned ranks, int threads, int bytes) {
    cudaLaunchConfig_t config = {};
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = ranks;
    attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
    config.gridDim = dim3(clusters * ranks);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = (size_t)bytes;
    config.attrs = attribute;
    config.numAttrs = 1;
    return config;
}

template <int THREADS, int SLOTS>
static int launch_clustered(const float *d_x, int64_t rows, int columns, float *d_y) {
    const unsigned ranks = MOST_RANKS;
    if (rows > SOFTMAX_MOST_SIDE / ranks) return cudaErrorInvalidConfiguration;
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = cluster_config(&attribute, (unsigned)rows, ranks, THREADS, 0);
    return cudaLaunchKernelEx(&config, clustered<THREADS, SLOTS>, d_x, rows, columns, d_y);
}

template <int RANKS, int THREADS, int SLOTS, int BLOCKS_PER_SM, bool EVEN>
static int launch_prefetched(const float *d_x, int64_t rows, int columns, float *d_y) {
    auto kernel = prefetched<RANKS, THREADS, SLOTS, BLOCKS_PER_SM, EVEN>;
    const int bytes = THREADS * SLOTS * (int)sizeof(float4);
    int clusters = 0; // that run at the same time
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = cluster_config(&attribute, 1, RANKS, THREADS, bytes);
    int code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (code == cudaSuccess) code = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
    if (code != cudaSuccess) return code;
    clusters = clusters < 1 ? 1 : clusters;
    int64_t turns = (rows + clusters - 1) / clusters; // and no more clusters than these need
    config.gridDim = dim3((unsigned)((rows + turns - 1) / turns) * RANKS);
    return cudaLaunchKernelEx(&config, kernel, d_x, rows, columns, d_y);
}

template <int RANKS, int THREADS, int SLOTS, int BLOCKS_PER_SM>
static int launch_long(const float *d_x, int64_t rows, int columns, float *d_y, bool even) {
    return even ? launch_prefetched<RANKS, THREADS, SLOTS, BLOCKS_PER_SM, true>(d_x, rows, columns,
                                                                                d_y)
                : launch_prefetched<RANKS, THREADS, SLOTS, BLOCKS_PER_SM, false>(d_x, rows, columns,
                                                                                 d_y);
}

extern "C" int softmax_step10(const float *d_x, int64_t rows, int64_t columns, float *d_y) {
    if (!IMPLEMENTED) return SOFTMAX_NOT_IMPLEMENTED;
    if (softmax_refuses(d_x, rows, columns, d_y)) return cudaErrorInvalidValue;
    int n = (int)columns;
    bool even = n % 4 == 0 && (uintptr_t)d_x % sizeof(float4) == 0;
    // SOLUTION BEGIN
    if (n <= 32) return launch_group<8, 1, 128>(d_x, rows, n, d_y);
    if (n <= 64) return launch_group<16, 1, 128>(d_x, rows, n, d_y);
    if (n <= 128) return launch_group<16, 2, 128>(d_x, rows, n, d_y);
    if (n <= 256) return launch_group<32, 2, 128>(d_x, rows, n, d_y);
    if (n <= 512) return launch_group<32, 8, 128>(d_x, rows, n, d_y);
    if (n <= 1024) return launch_group<64, 4, 64>(d_x, rows, n, d_y);
    if (n <= 4096) return launch_group<128, 8, 128>(d_x, rows, n, d_y);
    if (n <= 8192 && !even) return launch_group<256, 8, 256>(d_x, rows, n, d_y);
    if (n <= 16384) return launch_group<512, 8, 512>(d_x, rows, n, d_y);
    if (n <= 32768) return launch_long<2, 512, 8, 2>(d_x, rows, n, d_y, even);
    if (n <= 49152) return launch_long<2, 512, 12, 1>(d_x, rows, n, d_y, even);
    if (n <= 65536) return launch_long<4, 256, 16, 2>(d_x, rows, n, d_y, even);
    if (n <= 98304) return launch_long<8, 256, 16, 2>(d_x, rows, n, d_y, even);
    if (n <= 131072) return launch_long<8, 512, 8, 2>(d_x, rows, n, d_y, even);
    if (n <= 163840) return launch_long<8, 512, 10, 1>(d_x, rows, n, d_y, even);
    if (n <= 196608) return launch_long<8, 512, 12, 1>(d_x, rows, n, d_y, even);
    if (n <= 262144) return launch_long<8, 512, 16, 1>(d_x, rows, n, d_y, even);
    return launch_clustered<512, 16>(d_x, rows, n, d_y);
    // SOLUTION TODO: which of the launches above is fastest for n columns? Measure.
    // SOLUTION STUB: if (n <= 32) return launch_group<8, 1, 128>(d_x, rows, n, d_y);
    // SOLUTION STUB: if (n <= 49152) return launch_long<2, 512, 12, 1>(d_x, rows, n, d_y, even);
    // SOLUTION STUB: return launch_clustered<512, 16>(d_x, rows, n, d_y);
    // SOLUTION END
}
