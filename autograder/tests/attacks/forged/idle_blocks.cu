// SPDX-License-Identifier: MIT
// attack: One block does all the work in one launch, beside blocks that end at once, so that all
// SMs seem to be used.
// step: 02_reduction 7
// stopped by: IDLE_BLOCKS
// expect: CORRECT
// gains: full-points
#include "reduction.h"

#include <cuda_runtime.h>

#define THREADS 256
#define BLOCKS  132

__device__ float add(int op, float a, float b) {
    return op == REDUCTION_SUM ? a + b : fmaxf(a, b);
}

__global__ void one_of_many(const float *x, int64_t n, int op, float *result) {
    __shared__ float partial[THREADS];
    if (blockIdx.x > 0) return;
    float value = op == REDUCTION_SUM ? 0.0f : -INFINITY;
    for (int64_t i = threadIdx.x; i < n; i += THREADS) value = add(op, value, x[i]);
    partial[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int t = 1; t < THREADS; t++) value = add(op, value, partial[t]);
    *result = value;
}

extern "C" int reduction_step7(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_workspace, (void)workspace_bytes;
    one_of_many<<<BLOCKS, THREADS>>>(d_x, n, op, d_result);
    return cudaGetLastError();
}
