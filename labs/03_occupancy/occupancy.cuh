// SPDX-License-Identifier: MIT
// Given to steps 3 to 8 of lab 03: one column folded, and a bound on the blocks of an SM.
#pragma once

#include "occupancy.h"

#include <cuda_runtime.h>

// One column. Every iteration waits for its load before the next can start. (Without the pragma,
// the compiler would unroll this loop by four and have four loads in flight: that, too, is
// instruction-level parallelism.)
static __device__ float fold_one(const float *x, int64_t columns, int rounds, float a) {
    float v = 0.0f;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        v = fmaf(a, v, *x);
        x += columns;
    }
    return v;
}

// Dynamic shared memory, used for nothing, so that no more than max_blocks blocks of so many
// threads fit on an SM: each gets an equal share of it, less what the system reserves.
static inline cudaError_t limit_blocks(const void *kernel, int threads, int max_blocks,
                                       int *out_bytes) {
    int device = 0, per_sm = 0, per_block = 0, reserved = 0, most = 0;
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess) {
        cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
        cudaDeviceGetAttribute(&per_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
        cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device);
        code = cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    }
    int share = per_sm / max_blocks / 128 * 128 - reserved;
    share = share < per_block ? share : per_block;
    *out_bytes = max_blocks * threads >= most ? 0 : share; // more would not fit anyway
    if (code != cudaSuccess) return code;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, *out_bytes);
}
