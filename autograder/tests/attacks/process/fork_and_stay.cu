// SPDX-License-Identifier: MIT
// attack: Starts a process in a group of its own, which shall go on when the grading has ended.
// step: 02_reduction 1
// stopped by: IMPORT_AUDIT, TREE_END, SANDBOX
// expect: FORBIDDEN
// gains: survives
#include "reduction.h"

#include <cuda_runtime.h>
#include <unistd.h>

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    pid_t child = fork();
    if (child == 0)
        for (;;) pause();
    setpgid(child, child); // out of the group before anybody ends it
    return 0;
}
