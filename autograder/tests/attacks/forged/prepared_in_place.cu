// SPDX-License-Identifier: MIT
// attack: The preparation halves the matrix where it lies, so that the call need not; every answer
// is right.
// step: 04_gemv_row 1
// stopped by: INPUTS_KEPT
// expect: INPUT_CHANGED
// gains: points
#include "gemv_row.h"

#include <cuda_runtime.h>

__global__ void halve(float *a, int64_t count) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) a[i] *= 0.5f;
}

__global__ void multiply(const float *a, const float *x, float *y, int64_t m, int64_t n) {
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int64_t c = 0; row < m && c < n; c++) sum += a[row * n + c] * x[c];
    if (row < m) y[row] = 2.0f * sum;
}

extern "C" int gemv_row_prepare1(const gemv_row_matrix *matrix) {
    int64_t count = matrix->m * matrix->n;
    halve<<<(unsigned)((count + 255) / 256), 256>>>((float *)matrix->a, count);
    return cudaGetLastError();
}

extern "C" int gemv_row_step1(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                              void *d_workspace, size_t workspace_bytes) {
    (void)d_workspace, (void)workspace_bytes;
    multiply<<<(unsigned)((matrix->m + 255) / 256), 256>>>(matrix->a, d_x, d_y, matrix->m,
                                                           matrix->n);
    return cudaGetLastError();
}
