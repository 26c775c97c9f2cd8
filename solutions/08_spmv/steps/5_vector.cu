// SPDX-License-Identifier: MIT
// Lab 08, step 5: CSR, one warp per row (the lecture's "vector" kernel, with shuffles for its
// volatile shared memory, which relied on lanes running in step).
//
// What it fixes: 32 lanes load 32 neighbouring entries of one row.
// What it costs: a row shorter than 32 leaves lanes idle; every row pays for the reduction.
#include "spmv.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256
#define WARPS   (THREADS / 32)

template <typename T>
__global__ void __launch_bounds__(THREADS)
    vector(const int32_t *ptr, const int32_t *col, const T *val, int64_t rows, const T *x, T *y) {
    // SOLUTION BEGIN
    int64_t i = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (i >= rows) {
        return; // the whole warp
    }
    T sum = 0;
    uint32_t end = (uint32_t)ptr[i + 1]; // unsigned: k may come to stand 31 behind 2^31 - 1 entries
    for (uint32_t k = (uint32_t)ptr[i] + lane; k < end; k += 32) {
        sum += val[k] * x[col[k]];
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    }
    if (lane == 0) {
        y[i] = sum;
    }
    // SOLUTION TODO: one warp per row: lane l takes the entries l, l + 32, .. of the row; then the
    // SOLUTION TODO: warp adds up its 32 sums, and one lane writes.
}

template <typename T> static int run(const spmv_matrix *a, const void *x, void *y) {
    if (a->rows == 0) return cudaSuccess;
    vector<<<(unsigned)((a->rows + WARPS - 1) / WARPS), THREADS>>>(
        a->ptr, a->col, (const T *)a->val, a->rows, (const T *)x, (T *)y);
    return cudaGetLastError();
}

extern "C" int spmv_step5(const spmv_matrix *a, const void *x, void *y,
                          const spmv_prepared *prepared) {
    if (!IMPLEMENTED) return SPMV_NOT_IMPLEMENTED;
    (void)prepared;
    return a->type == SPMV_FLOAT ? run<float>(a, x, y) : run<double>(a, x, y);
}
