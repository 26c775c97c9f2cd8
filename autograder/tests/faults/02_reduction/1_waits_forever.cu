// SPDX-License-Identifier: MIT
// fault: step=1 file=1_interleaved.cu expect=KERNEL_FAULT
// The kernel waits for a value that nobody writes.
#include "reduction.h"

#include <cuda_runtime.h>

__global__ void wait_for_it(volatile float *result) {
    while (*result != 1.0f) {
    }
}

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    wait_for_it<<<1, 32>>>(d_result);
    return cudaDeviceSynchronize();
}
