// SPDX-License-Identifier: MIT
// Lab 02, step 4: the first addition happens while loading: each thread brings in two elements.
//
// What it fixes: half as many blocks, barriers and partial results for the same data, and two loads
// in flight per thread instead of one.
// Why it is slow: still eight iterations with a barrier each for only two elements per thread.
#include "reduction.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS  256
#define ELEMENTS (2 * THREADS) // of a block

// x: [n]; to: [gridDim.x]. Block b reduces elements b*ELEMENTS .. b*ELEMENTS+ELEMENTS-1.
template <int op> __global__ void first_add(const float *x, int64_t n, float *to) {
    // SOLUTION BEGIN
    __shared__ float partial[THREADS];
    unsigned t = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * ELEMENTS + t;
    float value = i < n ? x[i] : identity<op>();
    if (i + THREADS < n) {
        value = combine<op>(value, x[i + THREADS]);
    }
    partial[t] = value;

    for (unsigned stride = blockDim.x / 2; stride >= 1; stride >>= 1) {
        __syncthreads();
        if (t < stride) {
            partial[t] = combine<op>(partial[t], partial[t + stride]);
        }
    }

    if (t == 0) { // the same thread wrote partial[0] last: no barrier needed
        to[blockIdx.x] = partial[0];
    }
    // SOLUTION TODO: the code of step 3, but each thread loads element t of this block's ELEMENTS
    // SOLUTION TODO: and combines it with the one THREADS further on; either may lie beyond n.
}

extern "C" int reduction_step4(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return REDUCTION_NOT_IMPLEMENTED;
    if (!reduction_call_is_valid(n, op, workspace_bytes)) return cudaErrorInvalidValue;
    return reduce_in_rounds(first_add<REDUCTION_SUM>, first_add<REDUCTION_MAX>, THREADS, ELEMENTS,
                            d_x, n, op, d_result, d_workspace);
}
