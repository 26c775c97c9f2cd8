// SPDX-License-Identifier: MIT
// attack: Reads every element by an atomic that changes nothing: no load requests.
// step: 02_reduction 6
// stopped by: design
// expect: CORRECT
// gains: full-points
#include "reduction.h"

#include <cuda_runtime.h>

#define THREADS 256
#define BLOCKS  528

__device__ float add(int op, float a, float b) {
    return op == REDUCTION_SUM ? a + b : fmaxf(a, b);
}

// from: [n]; to: [gridDim.x]
__global__ void by_atomics(float *from, int64_t n, int op, float *to) {
    __shared__ float partial[THREADS];
    float value = op == REDUCTION_SUM ? 0.0f : -INFINITY;
    int64_t stride = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += stride)
        value = add(op, value, __uint_as_float(atomicOr((unsigned *)&from[i], 0)));
    partial[threadIdx.x] = value;
    for (int distance = THREADS / 2; distance >= 1; distance /= 2) {
        __syncthreads();
        if (threadIdx.x < distance)
            partial[threadIdx.x] = add(op, partial[threadIdx.x], partial[threadIdx.x + distance]);
    }
    if (threadIdx.x == 0) to[blockIdx.x] = partial[0];
}

extern "C" int reduction_step6(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    if (n < 0 || workspace_bytes < reduction_workspace_bytes(n)) return cudaErrorInvalidValue;
    float *d_partial = (float *)((char *)d_workspace + REDUCTION_COUNTER_BYTES);
    int64_t wanted = n / THREADS + 1;
    int blocks = wanted < BLOCKS ? (int)wanted : BLOCKS;
    if (blocks == 1) {
        by_atomics<<<1, THREADS>>>((float *)d_x, n, op, d_result);
    } else {
        by_atomics<<<blocks, THREADS>>>((float *)d_x, n, op, d_partial);
        by_atomics<<<1, THREADS>>>(d_partial, blocks, op, d_result);
    }
    return cudaGetLastError();
}
