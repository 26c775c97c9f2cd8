// SPDX-License-Identifier: MIT
// attack: The same in the resolver of an indirect function, which runs even earlier.
// step: 02_reduction 1
// stopped by: IMPORT_AUDIT
// expect: FORBIDDEN
// gains: writes
#include "reduction.h"

#include <cuda_runtime.h>
#include <fcntl.h>
#include <unistd.h>

static int nothing(void) {
    return 0;
}

extern "C" int (*resolve_chosen(void))(void) {
    close(open("@DROP@", O_WRONLY | O_CREAT, 0600));
    return nothing;
}

extern "C" int chosen(void) __attribute__((ifunc("resolve_chosen")));

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    return chosen();
}
