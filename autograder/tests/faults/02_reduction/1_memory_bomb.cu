// SPDX-License-Identifier: MIT
// fault: step=1 file=1_interleaved.cu expect=CRASHED
// Takes all the memory that it can get, and does not look whether it got it.
#include "reduction.h"

#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    const size_t bytes = (size_t)64 << 20;
    for (;;) {
        volatile char *memory = (volatile char *)malloc(bytes);
        for (size_t i = 0; i < bytes; i += 4096) memory[i] = 1;
    }
}
