// SPDX-License-Identifier: MIT
// Lab 06, step 8: a row is read once and kept on the chip until its results are stored: in
// registers up to 16384 columns, by 8 lanes, a warp or a block; in shared memory while it fits.
//
// What it fixes: one read and one write per element, which is all that memory has to do.
// Why it is slow: a row in shared memory fills an SM, so nothing is loaded while it is computed;
// rows that do not fit are read twice.
#include "softmax.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define WARP         32
#define MOST_WARPS   32
#define LONG_THREADS 512 // per block, for rows in shared memory

// The largest value, or the sum, of THREADS neighbouring threads, which are part of a warp or the
// whole block; in each of them. of_warp: [MOST_WARPS], not in use elsewhere.
template <int THREADS> __device__ __forceinline__ float all_max(float value, float *of_warp) {
    for (int distance = min(THREADS, WARP) / 2; distance >= 1; distance /= 2)
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, distance));
    if (THREADS <= WARP) return value;
    // SOLUTION BEGIN
    int lane = threadIdx.x % WARP;
    if (lane == 0) of_warp[threadIdx.x / WARP] = value;
    __syncthreads();
    value = lane < THREADS / WARP ? of_warp[lane] : -INFINITY;
    for (int distance = WARP / 2; distance >= 1; distance /= 2)
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, distance));
    // SOLUTION TODO: lane 0 of each warp writes its value to of_warp; behind a barrier every warp
    // SOLUTION TODO: reduces them.
    return value;
}

template <int THREADS> __device__ __forceinline__ float all_sum(float value, float *of_warp) {
    for (int distance = min(THREADS, WARP) / 2; distance >= 1; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    if (THREADS <= WARP) return value;
    // SOLUTION BEGIN
    int lane = threadIdx.x % WARP;
    if (lane == 0) of_warp[threadIdx.x / WARP] = value;
    __syncthreads();
    value = lane < THREADS / WARP ? of_warp[lane] : 0.0f;
    for (int distance = WARP / 2; distance >= 1; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    // SOLUTION TODO: the same for the sum
    return value;
}

// THREADS threads per row, VECTORS registers of 16 bytes each. x, y: [rows][columns], columns at
// most THREADS * VECTORS * 4.
template <int THREADS, int VECTORS, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    in_registers(const float *x, int64_t rows, int columns, float *y) {
    int64_t number = (int64_t)blockIdx.x * (BLOCK / THREADS) + threadIdx.x / THREADS;
    int t = threadIdx.x % THREADS;
    softmax_row row = row_parts(x, y, number, rows, columns, t);
    // SOLUTION BEGIN
    __shared__ float of_warp[2][MOST_WARPS];
    float4 v[VECTORS];
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        int i = t + k * THREADS;
        v[k] = i < row.count4 ? row.from[i] : all4(-INFINITY);
    }
    float edge = row.edge ? *row.edge : -INFINITY, most = edge;
#pragma unroll
    for (int k = 0; k < VECTORS; k++) most = fmaxf(most, max4(v[k]));
    most = all_max<THREADS>(most, of_warp[0]);
    edge = exp_below(edge, most);
    float sum = edge;
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        v[k] = exp4_below(v[k], most);
        sum += sum4(v[k]);
    }
    float factor = 1.0f / all_sum<THREADS>(sum, of_warp[1]);
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        int i = t + k * THREADS;
        if (i < row.count4) store4(&row, i, scale4(v[k], factor));
    }
    if (row.edge) *row.edge_to = edge * factor;
    // SOLUTION TODO: load all vectors first (all4(-INFINITY) where the row has none), in loops with
    // SOLUTION TODO: #pragma unroll, so that v stays in registers; then the largest element, the
    // SOLUTION TODO: exponentials in place and their sum, the stores.
}

// A block per row. The first `kept` vectors of the row stay in shared memory, the others are read
// again. x, y: [rows][columns]
__global__ void __launch_bounds__(LONG_THREADS)
    in_shared(const float *x, int64_t rows, int columns, float *y, int kept) {
    extern __shared__ float4 slots[]; // [kept]; a thread uses its own only
    int t = threadIdx.x;
    softmax_row row = row_parts(x, y, blockIdx.x, rows, columns, t);
    // SOLUTION BEGIN
    __shared__ float of_warp[2][MOST_WARPS];
    float edge = row.edge ? *row.edge : -INFINITY, most = edge;
#pragma unroll 4
    for (int i = t; i < row.count4; i += LONG_THREADS) {
        float4 v = row.from[i];
        if (i < kept) slots[i] = v;
        most = fmaxf(most, max4(v));
    }
    most = all_max<LONG_THREADS>(most, of_warp[0]);
    edge = exp_below(edge, most);
    float sum = edge;
    for (int i = t; i < row.count4; i += LONG_THREADS) {
        float4 v = exp4_below(i < kept ? slots[i] : row.from[i], most);
        if (i < kept) slots[i] = v;
        sum += sum4(v);
    }
    float factor = 1.0f / all_sum<LONG_THREADS>(sum, of_warp[1]);
    for (int i = t; i < row.count4; i += LONG_THREADS)
        store4(&row, i, scale4(i < kept ? slots[i] : exp4_below(row.from[i], most), factor));
    if (row.edge) *row.edge_to = edge * factor;
    // SOLUTION TODO: the same with slots[i] for i < kept: first the elements, then their
    // SOLUTION TODO: exponentials. Does it need a barrier, when each thread uses its own slots?
}

template <int THREADS, int VECTORS, int BLOCK>
static int launch_registers(const float *d_x, int64_t rows, int columns, float *d_y) {
    const int64_t per_block = BLOCK / THREADS;
    unsigned blocks = (unsigned)((rows + per_block - 1) / per_block);
    in_registers<THREADS, VECTORS, BLOCK><<<blocks, BLOCK>>>(d_x, rows, columns, d_y);
    return cudaGetLastError();
}

static int launch_shared(const float *d_x, int64_t rows, int columns, float *d_y) {
    int device = 0, most = 0;
    cudaFuncAttributes attributes;
    int code = cudaGetDevice(&device);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (code == cudaSuccess) code = cudaFuncGetAttributes(&attributes, in_shared);
    if (code != cudaSuccess) return code;
    int capacity = (most - (int)attributes.sharedSizeBytes) / (int)sizeof(float4);
    int kept = columns / 4 < capacity ? columns / 4 : capacity;
    int bytes = kept * (int)sizeof(float4);
    code = cudaFuncSetAttribute(in_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (code != cudaSuccess) return code;
    in_shared<<<(unsigned)rows, LONG_THREADS, bytes>>>(d_x, rows, columns, d_y, kept);
    return cudaGetLastError();
}

extern "C" int softmax_step8(const float *d_x, int64_t rows, int64_t columns, float *d_y) {
    if (!IMPLEMENTED) return SOFTMAX_NOT_IMPLEMENTED;
    if (softmax_refuses(d_x, rows, columns, d_y)) return cudaErrorInvalidValue;
    int n = (int)columns;
    if (n <= 64) return launch_registers<8, 2, 128>(d_x, rows, n, d_y);
    if (n <= 256) return launch_registers<32, 2, 128>(d_x, rows, n, d_y);
    if (n <= 1024) return launch_registers<32, 8, 128>(d_x, rows, n, d_y);
    if (n <= 4096) return launch_registers<128, 8, 128>(d_x, rows, n, d_y);
    if (n <= 16384) return launch_registers<512, 8, 512>(d_x, rows, n, d_y);
    return launch_shared(d_x, rows, n, d_y);
}
