// SPDX-License-Identifier: MIT
// attack: Ends the process with status 0 when it is loaded.
// step: 02_reduction 1
// stopped by: design
// expect: EXITED
// gains: points
#include "reduction.h"

#include <cuda_runtime.h>
#include <stdlib.h>

__attribute__((constructor)) static void before(void) {
    exit(0);
}

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    return 0;
}
