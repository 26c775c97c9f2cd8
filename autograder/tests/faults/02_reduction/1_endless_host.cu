// SPDX-License-Identifier: MIT
// fault: step=1 file=1_interleaved.cu expect=TIME_LIMIT
// The host code never returns.
#include "reduction.h"

#include <cuda_runtime.h>

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    volatile int turns = 0;
    for (;;) turns = turns + 1;
}
