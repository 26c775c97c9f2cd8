// SPDX-License-Identifier: MIT
// attack: Ends its process with status 0, which means success elsewhere.
// step: 02_reduction 1
// stopped by: design
// expect: EXITED
// gains: points
#include "reduction.h"

#include <cuda_runtime.h>
#include <stdlib.h>

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    exit(0);
}
