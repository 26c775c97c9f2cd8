// SPDX-License-Identifier: MIT
// fault: step=1 file=1_interleaved.cu expect=CUDA_ERROR
// A block of more threads than a block may have.
#include "reduction.h"

#include <cuda_runtime.h>

__global__ void nothing(void) {}

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    nothing<<<1, 4096>>>();
    return cudaGetLastError();
}
