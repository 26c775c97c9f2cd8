// SPDX-License-Identifier: MIT
// Lab 04, step 0: the product on the host, row by row (the paper's listing 1). Given: it shows how
// a row-major matrix is read. No kernel is launched.
//
// Each element of A is used once, each element of x m times.
#include "gemv_row.h"

#include <cuda_runtime.h>

extern "C" int gemv_row_step0(const gemv_row_matrix *matrix, const float *x, float *y,
                              void *workspace, size_t workspace_bytes) {
    (void)workspace;
    (void)workspace_bytes;
    if (!gemv_row_valid(matrix->m, matrix->n, GEMV_ROW_WORKSPACE_BYTES)) {
        return cudaErrorInvalidValue;
    }
    for (int64_t i = 0; i < matrix->m; i++) {
        const float *row = matrix->a + i * matrix->n;
        float sum = 0.0f;
        for (int64_t j = 0; j < matrix->n; j++) {
            sum += row[j] * x[j];
        }
        y[i] = sum;
    }
    return cudaSuccess;
}
