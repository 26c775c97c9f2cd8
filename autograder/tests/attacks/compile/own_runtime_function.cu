// SPDX-License-Identifier: MIT
// attack: Defines a function of the CUDA runtime itself, to take the place of the real one.
// step: 02_reduction 1
// stopped by: design
// expect: NO_LAUNCH/WRONG_ANSWER
// gains: points
#include "reduction.h"

#include <cuda_runtime.h>

extern "C" cudaError_t cudaDeviceSynchronize(void) {
    return cudaSuccess;
}

extern "C" cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    (void)to, (void)from, (void)bytes, (void)kind;
    return cudaSuccess;
}

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    return cudaDeviceSynchronize();
}
