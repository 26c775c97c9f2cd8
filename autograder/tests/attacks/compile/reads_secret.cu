// SPDX-License-Identifier: MIT
// attack: Opens a secret file and prints it.
// step: 02_reduction 1
// stopped by: IMPORT_AUDIT, SANDBOX
// expect: FORBIDDEN
// gains: secret
#include "reduction.h"

#include <cuda_runtime.h>
#include <stdio.h>

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    char text[128] = "";
    FILE *file = fopen("@SECRET@", "r");
    if (file != nullptr && fgets(text, sizeof text, file) != nullptr) puts(text);
    fflush(stdout);
    return 0;
}
