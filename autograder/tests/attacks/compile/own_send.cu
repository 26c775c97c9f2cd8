// SPDX-License-Identifier: MIT
// attack: Defines the C library's functions by which the runner answers.
// step: 02_reduction 1
// stopped by: design
// expect: NO_LAUNCH/WRONG_ANSWER
// gains: points
#include "reduction.h"

#include <cuda_runtime.h>

extern "C" long send(int socket, const void *data, size_t bytes, int flags) {
    (void)socket, (void)data, (void)flags;
    return (long)bytes;
}

extern "C" void _exit(int code) {
    (void)code;
    for (;;) {
    }
}

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    return 0;
}
