// SPDX-License-Identifier: MIT
// For whole programs, such as solutions of the problem of your own at the end of each lab: the C
// library's headers, and the end behind a call that fails.
#pragma once

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(cudaError_t status, const char *what = "CUDA") {
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    exit(1);
}
