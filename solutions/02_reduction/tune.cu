// SPDX-License-Identifier: MIT
// The kernel that `ladder tune reduction` compiles once for each configuration; tune.def says what
// each TUNE_ macro means. The scheme is that of step 8: one launch, and the last block reduces the
// partial results.
#include "reduction.h"

#include <cuda_runtime.h>

#define WARP  32
#define WARPS (TUNE_THREADS / WARP)
#define TILE  (TUNE_THREADS * TUNE_LOADS) // vectors that a block reads in one iteration

typedef struct __align__(4 * TUNE_WIDTH) vector {
    float of[TUNE_WIDTH];
}
vector;

__device__ __forceinline__ float combine(reduction_op op, float a, float b) {
    return op == REDUCTION_SUM ? a + b : fmaxf(a, b);
}

// The block's values combined; valid in thread 0. All threads must call it.
__device__ float reduce_block(reduction_op op, float value, float identity) {
    __shared__ float of_warp[WARPS];
    unsigned t = threadIdx.x;
    for (int distance = WARP / 2; distance >= 1; distance /= 2) {
        value = combine(op, value, __shfl_down_sync(0xffffffffu, value, distance));
    }
    __syncthreads(); // of_warp is free again
    if (t % WARP == 0) {
        of_warp[t / WARP] = value;
    }
    __syncthreads();
    value = t < WARPS ? of_warp[t] : identity;
    for (int distance = WARP / 2; distance >= 1; distance /= 2) {
        value = combine(op, value, __shfl_down_sync(0xffffffffu, value, distance));
    }
    return value;
}

// This thread's share of x: [n].
__device__ float reduce_share(const float *x, int64_t n, reduction_op op, float identity) {
    float value = identity;
    int64_t head = (int64_t)((0 - (uintptr_t)x / sizeof(float)) & (TUNE_WIDTH - 1));
    head = head < n ? head : n;
    int64_t count = (n - head) / TUNE_WIDTH; // whole vectors
    const vector *v = (const vector *)(x + head);
    for (int64_t first = (int64_t)blockIdx.x * TILE; first < count; first += gridDim.x * TILE) {
        vector got[TUNE_LOADS];
#pragma unroll
        for (int k = 0; k < TUNE_LOADS; k++) {
            int64_t i = first + k * TUNE_THREADS + threadIdx.x;
#pragma unroll
            for (int w = 0; w < TUNE_WIDTH; w++) {
                got[k].of[w] = identity;
            }
            if (i < count) {
                got[k] = v[i];
            }
        }
#pragma unroll
        for (int k = 0; k < TUNE_LOADS; k++) {
#pragma unroll
            for (int w = 0; w < TUNE_WIDTH; w++) {
                value = combine(op, value, got[k].of[w]);
            }
        }
    }
    if (blockIdx.x == 0) { // what lies before the vectors and behind them
        int64_t tail = head + TUNE_WIDTH * count + threadIdx.x;
        if (threadIdx.x < head) {
            value = combine(op, value, x[threadIdx.x]);
        }
        if (tail < n) {
            value = combine(op, value, x[tail]);
        }
    }
    return value;
}

// x: [n]; result: [1]; partial: [gridDim.x]; *ticket: 0 before and after.
__global__ void __launch_bounds__(TUNE_THREADS, TUNE_BLOCKS)
    last_block(const float *x, int64_t n, reduction_op op, float *result, float *partial,
               unsigned *ticket) {
    __shared__ bool is_last;
    float identity = op == REDUCTION_SUM ? 0.0f : -INFINITY;
    float value = reduce_block(op, reduce_share(x, n, op, identity), identity);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = value;
        __threadfence();
        is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!is_last) return;
    value = identity;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += TUNE_THREADS) {
        value = combine(op, value, __ldcg(&partial[i]));
    }
    value = reduce_block(op, value, identity);
    if (threadIdx.x == 0) {
        *result = value;
    }
}

extern "C" int reduction_tuned(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    int device = 0, sms = 0;
    if (n < 0 || workspace_bytes < reduction_workspace_bytes(n)) return cudaErrorInvalidValue;
    int code = cudaGetDevice(&device);
    if (code == cudaSuccess) {
        code = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    }
    if (code != cudaSuccess) return code;
    int64_t wanted = n / (TUNE_WIDTH * TILE) + 1, most = (int64_t)sms * TUNE_BLOCKS;
    last_block<<<(unsigned)(wanted < most ? wanted : most), TUNE_THREADS>>>(
        d_x, n, op, d_result, (float *)((char *)d_workspace + REDUCTION_COUNTER_BYTES),
        (unsigned *)d_workspace);
    return cudaGetLastError();
}
