// SPDX-License-Identifier: MIT
// Lab 02, step 2: the pairs of step 1, but the busy threads are the first ones of the block.
//
// What it fixes: a warp is busy or idle as a whole, so few busy warps have idle lanes.
// Why it is slow: thread t now works at word 2*stride*t of shared memory, so several lanes of a
// warp want the same bank, from stride 16 on all of them, and are served one after the other. On an
// H100 this costs more than the divergence of step 1 did.
#include "reduction.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256

// x: [n]; to: [gridDim.x]. Block b reduces elements b*THREADS .. b*THREADS+THREADS-1.
template <int op> __global__ void strided(const float *x, int64_t n, float *to) {
    __shared__ float partial[THREADS];
    unsigned t = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * THREADS + t;
    partial[t] = i < n ? x[i] : identity<op>();

    // SOLUTION BEGIN
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        unsigned index = 2 * stride * t;
        if (index < blockDim.x) {
            partial[index] = combine<op>(partial[index], partial[index + stride]);
        }
    }
    // SOLUTION TODO: the loop of step 1, but let thread 0 do the first pair, thread 1 the
    // SOLUTION TODO: second, ...: thread t works at index 2*stride*t, as long as that lies in
    // SOLUTION TODO: the block.

    if (t == 0) { // the same thread wrote partial[0] last: no barrier needed
        to[blockIdx.x] = partial[0];
    }
}

extern "C" int reduction_step2(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return REDUCTION_NOT_IMPLEMENTED;
    if (!reduction_call_is_valid(n, op, workspace_bytes)) return cudaErrorInvalidValue;
    return reduce_in_rounds(strided<REDUCTION_SUM>, strided<REDUCTION_MAX>, THREADS, THREADS, d_x,
                            n, op, d_result, d_workspace);
}
