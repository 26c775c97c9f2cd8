// SPDX-License-Identifier: MIT
// Lab 03, step 6: a thread folds eight columns at once.
//
// Why step 5 is slow: with a quarter of the warps, four loads per thread are not quite enough.
#include "occupancy.h"

#include <cuda_runtime.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define THREADS 256
#define COLUMNS 8 // a thread folds at once

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

// x: [rounds][columns]; y: [columns]. Thread t of a block folds the columns t, t + THREADS, .. of
// the block's.
__global__ void eight(const float *__restrict__ x, int64_t columns, int rounds, float a,
                      float *__restrict__ y) {
    int64_t first = (int64_t)blockIdx.x * THREADS * COLUMNS;
    int64_t j = first + threadIdx.x;
    if (first + THREADS * COLUMNS > columns) { // the last block: columns may be missing
        for (int c = 0; c < COLUMNS; c++, j += THREADS) {
            if (j < columns) {
                y[j] = fold_one(x + j, columns, rounds, a);
            }
        }
        return;
    }
    // TODO(student): as before with COLUMNS columns: arrays whose loops are unrolled (#pragma
    // unroll) are registers; the loop over the rounds keeps #pragma unroll 1
}

// Dynamic shared memory, used for nothing, so that no more than max_blocks blocks fit on an SM:
// each gets an equal share of it, less what the system reserves.
static cudaError_t limit_blocks(const void *kernel, int max_blocks, int *out_bytes) {
    int device = 0, per_sm = 0, per_block = 0, reserved = 0, threads = 0;
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess) {
        cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
        cudaDeviceGetAttribute(&per_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
        cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device);
        code = cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    }
    int share = per_sm / max_blocks / 128 * 128 - reserved;
    share = share < per_block ? share : per_block;
    *out_bytes = max_blocks * THREADS >= threads ? 0 : share; // more would not fit anyway
    if (code != cudaSuccess) return code;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, *out_bytes);
}

extern "C" int occupancy_step6(const float *d_x, int64_t columns, int rounds, float a,
                               int max_blocks, float *d_y) {
    if (!IMPLEMENTED) {
        return OCCUPANCY_NOT_IMPLEMENTED;
    }
    if (columns < 0 || columns > (1 << 26) || rounds < 0 || rounds > 64 || max_blocks < 1) {
        return cudaErrorInvalidValue;
    }
    if (columns == 0) {
        return cudaSuccess;
    }
    int64_t blocks = (columns + THREADS * COLUMNS - 1) / (THREADS * COLUMNS);
    int bytes = 0;
    cudaError_t code = limit_blocks((const void *)eight, max_blocks, &bytes);
    if (code != cudaSuccess) {
        return code;
    }
    eight<<<(unsigned)blocks, THREADS, bytes>>>(d_x, columns, rounds, a, d_y);
    return cudaGetLastError();
}
// ladder-skeleton 6c333596e8f213ca (as it was handed out; any change makes this file yours)
