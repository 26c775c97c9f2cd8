// SPDX-License-Identifier: MIT
// The beginning of nvcc's command line: see nvcc.h.
#include "utilities/nvcc.h"

#include <stddef.h>

const char *const ladder_nvcc_flags[] = {LADDER_NVCC_FLAGS NULL};

static const char *const fixed[] = {
    LADDER_NVCC, "-O3", "-DNDEBUG", "-std=c++17", "-Xcompiler=-fPIC", LADDER_NVCC_ARCHITECTURE};
enum { FIXED = sizeof fixed / sizeof fixed[0] };

_Static_assert(FIXED + sizeof ladder_nvcc_flags / sizeof ladder_nvcc_flags[0] <=
                   LADDER_NVCC_ARGUMENTS,
               "the flags of the build outgrew LADDER_NVCC_ARGUMENTS");

int ladder_nvcc_begin(const char **argv) {
    int count = 0;
    for (int i = 0; i < FIXED; i++) argv[count++] = fixed[i];
    for (int i = 0; ladder_nvcc_flags[i]; i++) argv[count++] = ladder_nvcc_flags[i];
    if (LADDER_CUDA_HOST_COMPILER[0] != '\0') argv[count++] = "-ccbin=" LADDER_CUDA_HOST_COMPILER;
    return count;
}
