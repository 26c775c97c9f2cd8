// SPDX-License-Identifier: MIT
// Lab 02, step 3: sequential addressing (CS 677 lecture 3, "A better implementation"): each
// iteration folds the upper half of the partial results onto the lower half.
//
// What it fixes: neighbouring lanes read neighbouring words, so there are no bank conflicts; and no
// lane of a working warp idles until 16 partial results are left.
// Why it is slow: half of the threads only load one element; every iteration costs a barrier.
#include "reduction.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256

// x: [n]; to: [gridDim.x]. Block b reduces elements b*THREADS .. b*THREADS+THREADS-1.
template <int op> __global__ void sequential(const float *x, int64_t n, float *to) {
    __shared__ float partial[THREADS];
    unsigned t = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * THREADS + t;
    partial[t] = i < n ? x[i] : identity<op>();

    // SOLUTION BEGIN
    for (unsigned stride = blockDim.x / 2; stride >= 1; stride >>= 1) {
        __syncthreads();
        if (t < stride) {
            partial[t] = combine<op>(partial[t], partial[t + stride]);
        }
    }
    // SOLUTION TODO: let stride run from blockDim.x/2 down to 1. In each iteration the first
    // SOLUTION TODO: `stride` threads combine their element with the one `stride` further on.

    if (t == 0) { // the same thread wrote partial[0] last: no barrier needed
        to[blockIdx.x] = partial[0];
    }
}

extern "C" int reduction_step3(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return REDUCTION_NOT_IMPLEMENTED;
    if (!reduction_call_is_valid(n, op, workspace_bytes)) return cudaErrorInvalidValue;
    return reduce_in_rounds(sequential<REDUCTION_SUM>, sequential<REDUCTION_MAX>, THREADS, THREADS,
                            d_x, n, op, d_result, d_workspace);
}
