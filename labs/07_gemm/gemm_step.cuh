// SPDX-License-Identifier: MIT
// Given to the steps of lab 07: the host's part of a call, and B transposed for those steps that
// read it so.
#pragma once

#include "gemm.h"

#include <cuda_runtime.h>

// Whether there is something to launch. If not, *code is what the step returns: a launch of no
// blocks would be an error.
static inline bool gemm_has_work(const gemm_task *task, int *code) {
    bool valid = task->m >= 0 && task->n >= 0 && task->k >= 0;
    *code = valid ? cudaSuccess : cudaErrorInvalidValue;
    return valid && task->m > 0 && task->n > 0;
}

// Blocks that cover C with tiles of so many rows (along x) and columns (along y).
static inline dim3 gemm_blocks(const gemm_task *task, int rows, int columns) {
    return dim3((unsigned)((task->m + rows - 1) / rows),
                (unsigned)((task->n + columns - 1) / columns));
}

// Whether four neighbours of every column of A and of B can be loaded at once.
static inline bool gemm_is_wide(const gemm_task *task) {
    return task->m % 4 == 0 && task->k % 4 == 0 && (uintptr_t)task->d_a % 16 == 0 &&
           (uintptr_t)task->d_b % 16 == 0;
}

// Writes the transposed matrix: out[p * n + j] = in[j * k + p] (lab 01, step 3).
template <int SIDE, int ROWS>
__global__ void __launch_bounds__(SIDE *ROWS)
    transpose(int64_t k, int64_t n, const float *in, float *out) {
    __shared__ float tile[SIDE][SIDE + 1];
    int64_t p0 = (int64_t)blockIdx.x * SIDE;
    int64_t j0 = (int64_t)blockIdx.y * SIDE;
    int x = threadIdx.x;
    for (int r = threadIdx.y; r < SIDE; r += ROWS) {
        if (j0 + r < n && p0 + x < k) {
            tile[r][x] = in[(j0 + r) * k + p0 + x];
        }
    }
    __syncthreads();
    for (int r = threadIdx.y; r < SIDE; r += ROWS) {
        if (p0 + r < k && j0 + x < n) {
            out[(p0 + r) * n + j0 + x] = tile[x][r];
        }
    }
}

// B transposed into the workspace: [k][n].
template <int SIDE, int ROWS> static void gemm_transpose_b(const gemm_task *task) {
    if (task->k == 0) return;
    dim3 tiles((unsigned)((task->k + SIDE - 1) / SIDE), (unsigned)((task->n + SIDE - 1) / SIDE));
    transpose<SIDE, ROWS>
        <<<tiles, dim3(SIDE, ROWS)>>>(task->k, task->n, task->d_b, task->d_workspace);
}
