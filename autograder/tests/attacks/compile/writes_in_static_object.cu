// SPDX-License-Identifier: MIT
// attack: Writes a file when a static object of its own is made, before anything is called.
// step: 02_reduction 1
// stopped by: IMPORT_AUDIT, SANDBOX
// expect: FORBIDDEN
// gains: writes
#include "reduction.h"

#include <cuda_runtime.h>
#include <stdio.h>

static int write_file(void) {
    FILE *file = fopen("@DROP@", "w");
    return file != nullptr ? fclose(file) : 0;
}

static int written = write_file();

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    return written;
}
