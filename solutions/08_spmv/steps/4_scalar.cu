// SPDX-License-Identifier: MIT
// Lab 08, step 4: CSR, one thread per row (the lecture's "scalar" kernel).
//
// What it fixes: no conversion, no padding, no atomics: any matrix as it is.
// What it costs: neighbouring lanes load entries of different rows, a row apart; and a warp takes
// as long as its longest row.
#include "spmv.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256

template <typename T>
__global__ void __launch_bounds__(THREADS)
    scalar(const int32_t *ptr, const int32_t *col, const T *val, int64_t rows, const T *x, T *y) {
    // SOLUTION BEGIN
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < rows) {
        T sum = 0;
        for (int32_t k = ptr[i]; k < ptr[i + 1]; k++) {
            sum += val[k] * x[col[k]];
        }
        y[i] = sum;
    }
    // SOLUTION TODO: one thread per row: add up its products. Empty rows give 0.
}

template <typename T> static int run(const spmv_matrix *a, const void *x, void *y) {
    if (a->rows == 0) return cudaSuccess;
    scalar<<<(unsigned)((a->rows + THREADS - 1) / THREADS), THREADS>>>(
        a->ptr, a->col, (const T *)a->val, a->rows, (const T *)x, (T *)y);
    return cudaGetLastError();
}

extern "C" int spmv_step4(const spmv_matrix *a, const void *x, void *y,
                          const spmv_prepared *prepared) {
    if (!IMPLEMENTED) return SPMV_NOT_IMPLEMENTED;
    (void)prepared;
    return a->type == SPMV_FLOAT ? run<float>(a, x, y) : run<double>(a, x, y);
}
