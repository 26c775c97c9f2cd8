// SPDX-License-Identifier: MIT
// Given to lab 06's last step: what warps know of a row, rows and slices of rows, copies into
// shared memory, and the launches. The kernels, which are declared here, and the choice of a launch
// are the step's.
#pragma once

#include "softmax.cuh"

#define WARP 32
#define LINE 8 // vectors in 128 bytes: slices begin at cache lines if rows do

// What a warp knows of its part of a row.
typedef struct part_sum {
    float most; // largest element
    float sum;  // of exp(x - most); 0 when most is -infinity
} part_sum;

// The step's:
template <int GROUP, int SLOTS, int BLOCK, int BLOCKS_PER_SM, bool EVEN>
__global__ void in_registers(const float *x, int64_t rows, int columns, float *y);
template <int RANKS, int THREADS, int OWN, int SHARED, int BLOCKS_PER_SM, bool EVEN, bool REST>
__global__ void spread(const float *x, int64_t rows, int columns, float *y);

// 1 / value by the hardware's approximation, off by at most 1 ulp; a sum is neither tiny nor huge.
__device__ __forceinline__ float reciprocal(float value) {
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
    return result;
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

// Slot k of thread t: a vector of the row; or, where the row of y begins apart from that of x, four
// elements GROUP apart, so that a warp loads and stores 128 bytes at once. -infinity: not there.
template <int GROUP, bool EVEN>
__device__ __forceinline__ float4 load_slot(const softmax_row &row, int k, int t) {
    const int i = t + k * GROUP, first = t + 4 * k * GROUP;
    if (EVEN || row.wide) return i < row.count4 ? row.from[i] : all4(-INFINITY);
    float v[4];
#pragma unroll
    for (int e = 0; e < 4; e++)
        v[e] = first + e * GROUP < 4 * row.count4 ? ((const float *)row.from)[first + e * GROUP]
                                                  : -INFINITY;
    return make_float4(v[0], v[1], v[2], v[3]);
}

template <int GROUP, bool EVEN>
__device__ __forceinline__ void store_slot(const softmax_row &row, int k, int t, float4 value) {
    const int i = t + k * GROUP, first = t + 4 * k * GROUP;
    const float v[4] = {value.x, value.y, value.z, value.w};
    if ((EVEN || row.wide) && i < row.count4) ((float4 *)row.to)[i] = value;
    if (EVEN || row.wide) return;
#pragma unroll
    for (int e = 0; e < 4; e++)
        if (first + e * GROUP < 4 * row.count4) row.to[first + e * GROUP] = v[e];
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

// A thread's vectors of its block's slice of a row: from[0], from[THREADS], ..
typedef struct slice {
    const float4 *from;
    int count; // vector k exists when k * THREADS < count
} slice;

template <int RANKS, bool EVEN>
__device__ __forceinline__ slice slice_of(const float *row, int columns, int rank, int t) {
    int head = EVEN ? 0 : (int)((0 - (uintptr_t)row / sizeof(float)) & 3);
    int count4 = (columns - head) / 4;
    int length = ((count4 + RANKS - 1) / RANKS + LINE - 1) / LINE * LINE;
    int begin = min(rank * length, count4) + t, end = min((rank + 1) * length, count4);
    slice part = {(const float4 *)(row + head) + begin, end - begin};
    return part;
}

// The row's element of the edge that thread t of its first block has, or -1.
__device__ __forceinline__ int edge_of(const float *row, int columns, int rank, int t) {
    int head = (int)((0 - (uintptr_t)row / sizeof(float)) & 3), behind = (columns - head) / 4 * 4;
    return rank == 0 && t < columns - behind ? (t < head ? t : t + behind) : -1;
}

// Starts the copy of one vector into this thread's place in shared memory.
__device__ __forceinline__ void start_copy(float4 *to, const float4 *from) {
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
        "l"(from)
        : "memory");
}

// Waits for all copies that this thread has started.
__device__ __forceinline__ void wait_for_copies(void) {
    asm volatile("cp.async.wait_all;" ::: "memory");
}

// ---- launches ----

template <int GROUP, int SLOTS, int BLOCK, int BLOCKS_PER_SM>
static int launch_group(const float *d_x, int64_t rows, int columns, float *d_y, bool even) {
    const int64_t per_block = BLOCK / GROUP;
    unsigned blocks = (unsigned)((rows + per_block - 1) / per_block);
    auto kernel = even ? in_registers<GROUP, SLOTS, BLOCK, BLOCKS_PER_SM, true>
                       : in_registers<GROUP, SLOTS, BLOCK, BLOCKS_PER_SM, false>;
    kernel<<<blocks, BLOCK>>>(d_x, rows, columns, d_y);
    return cudaGetLastError();
}

template <int RANKS, int OWN, int SHARED, int BLOCKS_PER_SM, bool REST>
static int launch_spread(const float *d_x, int64_t rows, int columns, float *d_y, bool even) {
    const int threads = 512, bytes = threads * SHARED * (int)sizeof(float4);
    auto kernel = even ? spread<RANKS, threads, OWN, SHARED, BLOCKS_PER_SM, true, REST>
                       : spread<RANKS, threads, OWN, SHARED, BLOCKS_PER_SM, false, REST>;
    int code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (code != cudaSuccess) return code;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = RANKS;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)rows * RANKS); // at most 2^40 / 2^15 rows
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = (size_t)bytes;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, d_x, rows, columns, d_y);
}
