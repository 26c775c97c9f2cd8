// SPDX-License-Identifier: MIT
// Given to all steps of lab 01: the host's part of a call.
#pragma once

#include "transpose.h"

#include <cuda_runtime.h>

// Whether there is something to launch. If not, *code is what the step returns: a launch of no
// blocks would be an error.
static inline bool transpose_has_work(int64_t rows, int64_t cols, int *code) {
    *code = rows < 0 || cols < 0 ? cudaErrorInvalidValue : cudaSuccess;
    return rows > 0 && cols > 0;
}

// A block for each tile of side x side elements, `across` of which lie side by side in the input.
typedef void transpose_kernel(const float *in, int64_t rows, int64_t cols, unsigned across,
                              float *out);

// Tiles are numbered in one dimension: a grid may be 2^31 - 1 blocks long, but only 65535 high.
static inline int launch_tiles(transpose_kernel *kernel, int side, dim3 threads, const float *d_in,
                               int64_t rows, int64_t cols, float *d_out) {
    int code;
    if (!transpose_has_work(rows, cols, &code)) return code;
    int64_t down = (rows + side - 1) / side, across = (cols + side - 1) / side;
    kernel<<<(unsigned)(down * across), threads>>>(d_in, rows, cols, (unsigned)across, d_out);
    return cudaGetLastError();
}
