// SPDX-License-Identifier: MIT
// Lab 02, step 1: many blocks, and in each a tree of interleaved pairs (CS 677 lecture 3, "A simple
// implementation"). All SMs work; a round of blocks is a launch.
//
// Why it is slow: in the first iteration every other lane of every warp idles, in the second three
// of four, and so on: on average fewer than a quarter of the lanes are active.
#include "reduction.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define THREADS 256

// x: [n]; to: [gridDim.x]. Block b reduces elements b*THREADS .. b*THREADS+THREADS-1.
template <int op> __global__ void interleaved(const float *x, int64_t n, float *to) {
    __shared__ float partial[THREADS];
    unsigned t = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * THREADS + t;
    partial[t] = i < n ? x[i] : identity<op>();

    // Round by round, element t takes in its neighbour at distance 1, 2, 4, ...
    //   stride 1:  0<-1  2<-3  4<-5  6<-7      stride 2:  0<-2  4<-6      stride 4:  0<-4
    // TODO(student): a loop over stride = 1, 2, 4, .. below blockDim.x. In each iteration the
    // threads whose number is a multiple of 2*stride combine partial[t] with
    // partial[t + stride]. Where must the barrier be, and why not inside the
    // `if`?

    if (t == 0) { // the same thread wrote partial[0] last: no barrier needed
        to[blockIdx.x] = partial[0];
    }
}

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return REDUCTION_NOT_IMPLEMENTED;
    if (!reduction_call_is_valid(n, op, workspace_bytes)) return cudaErrorInvalidValue;
    return reduce_in_rounds(interleaved<REDUCTION_SUM>, interleaved<REDUCTION_MAX>, THREADS,
                            THREADS, d_x, n, op, d_result, d_workspace);
}
// ladder-skeleton 660fcf48336fa357 (as it was handed out; any change makes this file yours)
