// SPDX-License-Identifier: MIT
// attack: Finds out in which order blocks run, and waits for nobody only where that is the order in
// which it is graded, not the one in which it is checked.
// step: 02_reduction 2
// stopped by: USUAL_ORDER
// expect: FINDING
// gains: points
#include "reduction.h"

#include <cuda_runtime.h>

#define THREADS 256

__device__ float parts[1 << 16];
__device__ unsigned ticket, disorder;

__device__ float add(int op, float a, float b) {
    return op == REDUCTION_SUM ? a + b : fmaxf(a, b);
}

__device__ float identity(int op) {
    return op == REDUCTION_SUM ? 0.0f : -INFINITY;
}

__global__ void reset(void) {
    ticket = disorder = 0;
}

__global__ void probe(void) {
    if (atomicAdd(&ticket, 1u) != blockIdx.x) atomicOr(&disorder, 1u);
}

__device__ float add_all(const float *x, int64_t first, int64_t end, int op) {
    __shared__ float partial[THREADS];
    float value = identity(op);
    for (int64_t i = first + threadIdx.x; i < end; i += THREADS) value = add(op, value, x[i]);
    partial[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int t = 1; t < THREADS; t++) value = add(op, value, partial[t]);
    return value;
}

// The block of the highest number takes all others to be done; in a disorder block 0 does it all.
__global__ void total(const float *x, int64_t n, int op, float *result) {
    if (disorder != 0) {
        if (blockIdx.x > 0) return;
        float all = add_all(x, 0, n, op);
        if (threadIdx.x == 0) *result = all;
        return;
    }
    int64_t first = (int64_t)blockIdx.x * THREADS, end = first + THREADS < n ? first + THREADS : n;
    float own = add_all(x, first, end, op);
    if (threadIdx.x > 0) return;
    parts[blockIdx.x] = own;
    if (blockIdx.x + 1 < gridDim.x) return;
    float sum = identity(op);
    for (unsigned b = 0; b < gridDim.x; b++) sum = add(op, sum, parts[b]);
    *result = sum;
}

extern "C" int reduction_step2(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_workspace, (void)workspace_bytes;
    unsigned blocks = n > THREADS ? (unsigned)((n + THREADS - 1) / THREADS) : 1;
    reset<<<1, 1>>>();
    probe<<<64, 1>>>();
    total<<<blocks, THREADS>>>(d_x, n, op, d_result);
    return cudaGetLastError();
}
