// SPDX-License-Identifier: MIT
// Kernels of the grid program: see grid.c.
#include "reference.h"

#include <cuda_runtime.h>

#define THREADS 256

// The finaliser of SplitMix64, as in common/host/random.h.
__global__ void fill(float *values, int64_t count, uint64_t seed) {
    int64_t stride = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
        uint64_t z = seed + (uint64_t)(i + 1) * 0x9E3779B97F4A7C15ull;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        z ^= z >> 31;
        values[i] = (float)(z >> 40) * 0x1p-24f;
    }
}

// One thread per element of y.
__global__ void solve(gemv_col_task task, int64_t outputs, double *answer) {
    int64_t out = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    bool transposed = task.op == GEMV_COL_ATX;
    if (out >= outputs) return;
    int64_t length = transposed ? task.m : task.n;
    int64_t step = transposed ? 1 : task.m;
    const float *from = task.d_a + (transposed ? out * task.m : out);
    double sum = 0.0, magnitude = 0.0;
    for (int64_t k = 0; k < length; k++) {
        double product = (double)from[k * step] * (double)task.d_x[k];
        sum += product;
        magnitude += fabs(product);
    }
    double ku = (double)length * 0x1p-24;
    answer[out] = sum;
    answer[outputs + out] = (ku / (1.0 - ku) + 0x1p-40) * magnitude;
}

__global__ void compare(const float *y, int64_t outputs, const double *answer, unsigned *wrong) {
    int64_t out = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    // Not "error > bound", which a NaN would pass.
    if (out < outputs && !(fabs((double)y[out] - answer[out]) <= answer[outputs + out])) {
        atomicAdd(wrong, 1u);
    }
}

static int64_t outputs_of(const gemv_col_task *task) {
    return task->op == GEMV_COL_ATX ? task->n : task->m;
}

extern "C" int grid_fill(float *d_values, int64_t count, uint64_t seed) {
    int64_t blocks = (count + THREADS - 1) / THREADS;
    fill<<<(unsigned)(blocks < 4096 ? blocks : 4096), THREADS>>>(d_values, count, seed);
    return cudaGetLastError();
}

extern "C" int grid_solve(const gemv_col_task *task, double *d_answer) {
    int64_t outputs = outputs_of(task);
    solve<<<(unsigned)((outputs + THREADS - 1) / THREADS), THREADS>>>(*task, outputs, d_answer);
    return cudaGetLastError();
}

extern "C" int grid_compare(const gemv_col_task *task, const double *d_answer, unsigned *d_wrong) {
    int64_t outputs = outputs_of(task);
    compare<<<(unsigned)((outputs + THREADS - 1) / THREADS), THREADS>>>(task->d_y, outputs,
                                                                        d_answer, d_wrong);
    return cudaGetLastError();
}
