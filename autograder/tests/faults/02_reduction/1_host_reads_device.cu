// SPDX-License-Identifier: MIT
// fault: step=1 file=1_interleaved.cu expect=CRASHED
// The host code reads a device pointer as if it were its own memory.
#include "reduction.h"

#include <cuda_runtime.h>

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    volatile const float *result = d_result;
    return result[0] > 1e30f ? 1 : 0;
}
