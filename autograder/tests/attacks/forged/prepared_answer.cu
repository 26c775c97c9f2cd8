// SPDX-License-Identifier: MIT
// attack: The preparation, which is given the matrix only, finds the vector behind it in the
//   device's memory and computes the answer; the call copies it.
// step: 04_gemv_row 1
// stopped by: LATE_OPERAND, RANDOM_PLACES, INPUT_READ, OTHER_ORDER, CHECKER
// expect: WRONG_ANSWER
// gains: points
#include "gemv_row.h"

#include <cuda_runtime.h>

static bool is_there(uintptr_t address) {
    struct cudaPointerAttributes found;
    return cudaPointerGetAttributes(&found, (const void *)address) == cudaSuccess &&
           found.type == cudaMemoryTypeDevice;
}

__global__ void multiply(const float *a, const float *x, float *y, int64_t m, int64_t n) {
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int64_t c = 0; row < m && c < n; c++) sum += a[row * n + c] * x[c];
    if (row < m) y[row] = sum;
}

__global__ void copy(const float *from, float *to, int64_t m) {
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m) to[row] = from[row];
}

// The next allocation begins one unit after the end of the matrix's; its vector may have an
// offset.
extern "C" int gemv_row_prepare1(const gemv_row_matrix *matrix) {
    uintptr_t end = (uintptr_t)matrix->a + (uintptr_t)(matrix->m * matrix->n) * sizeof(float);
    uintptr_t x = (end + 511) / 512 * 512 + 512, bytes = (uintptr_t)matrix->n * sizeof(float);
    if (!is_there(x)) return 0;
    while (is_there(x + bytes)) x += sizeof(float);
    multiply<<<(unsigned)((matrix->m + 255) / 256), 256>>>(
        matrix->a, (const float *)x, (float *)matrix->d_prepared, matrix->m, matrix->n);
    return cudaGetLastError();
}

extern "C" int gemv_row_step1(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                              void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)d_workspace, (void)workspace_bytes;
    copy<<<(unsigned)((matrix->m + 255) / 256), 256>>>((const float *)matrix->d_prepared, d_y,
                                                       matrix->m);
    return cudaGetLastError();
}
