// SPDX-License-Identifier: MIT
// Lab 02, step 6: 16-byte loads, four of them in flight per thread, in a grid just large enough to
// fill the card, whose blocks stride over the array. Two launches at most, whatever n is.
//
// What it fixes: waiting for memory. By Little's law an H100 needs about 3 TB/s x 0.7 us = 2 MB in
// flight; two 4-byte loads a thread are 2 MB only while every SM is full, sixteen are 17 MB.
// Why it is slow: for small n the second launch costs as much as the first.
#include "reduction.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS       256
#define WARP          32
#define ALL_LANES     0xffffffffu
#define WIDE          4 // 16-byte loads in flight per thread
#define BLOCKS_PER_SM 8 // 8 x 256 threads fill an SM

// The block's values combined; valid in thread 0. All threads must call it.
template <int op> __device__ __forceinline__ float reduce_block(float value) {
    // SOLUTION BEGIN
    __shared__ float partial[THREADS / WARP];
    unsigned t = threadIdx.x;
    for (int distance = WARP / 2; distance >= 1; distance /= 2) {
        value = combine<op>(value, __shfl_down_sync(ALL_LANES, value, distance));
    }
    if (t % WARP == 0) {
        partial[t / WARP] = value;
    }
    __syncthreads();
    if (t < WARP) {
        value = t < THREADS / WARP ? partial[t] : identity<op>();
        for (int distance = WARP / 2; distance >= 1; distance /= 2) {
            value = combine<op>(value, __shfl_down_sync(ALL_LANES, value, distance));
        }
    }
    // SOLUTION TODO: as in step 5: each warp, then the first warp
    return value;
}

// x: [n]; to: [gridDim.x], one partial result per block.
template <int op>
__global__ void __launch_bounds__(THREADS) vectorized(const float *x, int64_t n, float *to) {
    float value = identity<op>();

    // SOLUTION BEGIN
    int64_t head = head_of(x, n);
    int64_t count4 = (n - head) / 4; // whole vectors
    const float4 *x4 = (const float4 *)(x + head);
    int64_t stride = (int64_t)gridDim.x * THREADS;
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;

    for (; i + (WIDE - 1) * stride < count4; i += WIDE * stride) {
        float4 v[WIDE]; // all loads are issued before the first value is used
#pragma unroll
        for (int k = 0; k < WIDE; k++) {
            v[k] = x4[i + k * stride];
        }
#pragma unroll
        for (int k = 0; k < WIDE; k++) {
            value = combine<op>(value, combine4<op>(v[k]));
        }
    }
    for (; i < count4; i += stride) {
        value = combine<op>(value, combine4<op>(x4[i]));
    }

    // At most 3 elements before the vectors and 3 behind them.
    if (blockIdx.x == 0) {
        int64_t tail = head + 4 * count4 + threadIdx.x;
        if (threadIdx.x < head) {
            value = combine<op>(value, x[threadIdx.x]);
        }
        if (tail < n) {
            value = combine<op>(value, x[tail]);
        }
    }
    // SOLUTION TODO: let every thread stride over the array in float4, with WIDE loads issued
    // SOLUTION TODO: before their values are used. x need not be 16-byte aligned: head_of
    // SOLUTION TODO: tells how many elements lie before the first boundary; and up to 3 may
    // SOLUTION TODO: be left at the end.

    value = reduce_block<op>(value);
    if (threadIdx.x == 0) {
        to[blockIdx.x] = value;
    }
}

extern "C" int reduction_step6(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return REDUCTION_NOT_IMPLEMENTED;
    if (!reduction_call_is_valid(n, op, workspace_bytes)) return cudaErrorInvalidValue;
    reduction_kernel *kernel =
        op == REDUCTION_SUM ? vectorized<REDUCTION_SUM> : vectorized<REDUCTION_MAX>;
    float *d_partial = (float *)((char *)d_workspace + REDUCTION_COUNTER_BYTES);
    int blocks = 0;
    int code = choose_blocks(n, 4 * WIDE * THREADS, BLOCKS_PER_SM, &blocks);
    if (code != cudaSuccess) return code;
    kernel<<<blocks, THREADS>>>(d_x, n, blocks == 1 ? d_result : d_partial);
    if (blocks > 1) kernel<<<1, THREADS>>>(d_partial, blocks, d_result);
    return cudaGetLastError();
}
