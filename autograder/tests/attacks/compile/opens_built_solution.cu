// SPDX-License-Identifier: MIT
// attack: Opens the solution's step that the kit has built, and calls it.
// step: 02_reduction 1
// stopped by: IMPORT_AUDIT, SANDBOX
// expect: FORBIDDEN
// gains: points
#include "reduction.h"

#include <cuda_runtime.h>
#include <dlfcn.h>

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    void *solution = dlopen("@BUILD@/labs/02_reduction/solution/step_1.so", RTLD_NOW);
    if (solution == nullptr) return cudaErrorUnknown;
    reduction_function *step = (reduction_function *)dlsym(solution, "reduction_step1");
    return step(d_x, n, op, d_result, d_workspace, workspace_bytes);
}
