// SPDX-License-Identifier: MIT
// Lab 02, step 7: one launch: each block adds its result to the final one with an atomic operation.
//
// What it fixes: the second launch and the partial results in memory.
// What it costs: blocks finish in any order and float addition is not associative, so the last
// digits of a sum differ from run to run (a maximum does not depend on the order). And the result
// must be set before the launch.
#include "reduction.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define THREADS       256
#define WARP          32
#define ALL_LANES     0xffffffffu
#define WIDE          4 // 16-byte loads in flight per thread
#define BLOCKS_PER_SM 8 // 8 x 256 threads fill an SM

// The block's values combined; valid in thread 0. All threads must call it.
template <int op> __device__ __forceinline__ float reduce_block(float value) {
    // TODO(student): as in step 5: each warp, then the first warp
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
    // TODO(student): atomicAdd for the sum. For the maximum there is no atomic on floats, but
    // one on integers: how are the bit patterns of non-negative floats ordered
    // as int, and those of negative ones as unsigned? initial_byte says what
    // the result starts with.
}

// x: [n]; result: [1].
template <int op>
__global__ void __launch_bounds__(THREADS) with_atomic(const float *x, int64_t n, float *result) {
    float value = identity<op>();

    // TODO(student): as in step 6.

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
// ladder-skeleton 1af567eded8b1282 (as it was handed out; any change makes this file yours)
