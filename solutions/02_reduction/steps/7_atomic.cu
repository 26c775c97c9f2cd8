// SPDX-License-Identifier: MIT
// Lab 02, step 7: one launch: each block adds its result to the final one with an atomic operation.
//
// What it fixes: the second launch and the partial results in memory.
// What it costs: blocks finish in any order and float addition is not associative, so the last
// digits of a sum differ from run to run (a maximum does not depend on the order). And the result
// must be set before the launch.
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

// What *result must hold before the first block arrives, as a byte for cudaMemset. Zero bytes are
// the float 0. Bytes 0xFF are, as a signed integer, -1, and as an unsigned one the largest: below
// every value in the sense of atomic_combine.
static int initial_byte(reduction_op op) {
    return op == REDUCTION_SUM ? 0 : 0xFF;
}

// *result = combine(*result, value), indivisibly.
template <int op> __device__ __forceinline__ void atomic_combine(float *result, float value) {
    // SOLUTION BEGIN
    if (op == REDUCTION_SUM) {
        atomicAdd(result, value);
        return;
    }
    // There is no atomic maximum of floats, so it works on their bit patterns. Without sign bit
    // these are ordered like int; with it they are negative as int, above all others as unsigned,
    // and ordered the other way round. So, whatever *result holds,
    //   value >= +0: the larger int is the larger float,
    //   value <= -0: the smaller unsigned is the larger float.
    int bits = __float_as_int(value);
    if (bits >= 0) {
        atomicMax((int *)result, bits);
    } else {
        atomicMin((unsigned *)result, (unsigned)bits);
    }
    // SOLUTION TODO: atomicAdd for the sum. For the maximum there is no atomic on floats, but
    // SOLUTION TODO: one on integers: how are the bit patterns of non-negative floats ordered
    // SOLUTION TODO: as int, and those of negative ones as unsigned? initial_byte says what
    // SOLUTION TODO: the result starts with.
}

// x: [n]; result: [1].
template <int op>
__global__ void __launch_bounds__(THREADS) with_atomic(const float *x, int64_t n, float *result) {
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
    // SOLUTION TODO: as in step 6.

    value = reduce_block<op>(value);
    if (threadIdx.x == 0) {
        atomic_combine<op>(result, value);
    }
}

extern "C" int reduction_step7(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_workspace;
    if (!IMPLEMENTED) return REDUCTION_NOT_IMPLEMENTED;
    if (!reduction_call_is_valid(n, op, workspace_bytes)) return cudaErrorInvalidValue;
    int blocks = 0;
    int code = choose_blocks(n, 4 * WIDE * THREADS, BLOCKS_PER_SM, &blocks);
    if (code == cudaSuccess) {
        code = cudaMemsetAsync(d_result, initial_byte(op), sizeof(float), 0);
    }
    if (code != cudaSuccess) return code;
    reduction_kernel *kernel =
        op == REDUCTION_SUM ? with_atomic<REDUCTION_SUM> : with_atomic<REDUCTION_MAX>;
    kernel<<<blocks, THREADS>>>(d_x, n, d_result);
    return cudaGetLastError();
}
