// SPDX-License-Identifier: MIT
// fault: step=1 file=1_interleaved.cu expect=COMPILE_ERROR
// A semicolon is missing.
#include "reduction.h"

#include <cuda_runtime.h>

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    int a = 1 return a;
}
