// SPDX-License-Identifier: MIT
// attack: The preparation brings the matrix to the host, where bytes are not limited; the call
//   brings the vector, multiplies on the host and has a kernel write the answer down.
// step: 04_gemv_row 1
// stopped by: HOST_BYTES, INPUT_READ
// expect: READ_BACK/NOT_READ
// gains: points
#include "gemv_row.h"

#include <cuda_runtime.h>
#include <stdlib.h>

static float *h_a;

__global__ void copy(const float *from, float *to, int64_t m) {
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m) to[row] = from[row];
}

extern "C" int gemv_row_prepare1(const gemv_row_matrix *matrix) {
    size_t bytes = (size_t)(matrix->m * matrix->n) * sizeof(float);
    free(h_a);
    h_a = (float *)malloc(bytes);
    return cudaMemcpy(h_a, matrix->a, bytes, cudaMemcpyDeviceToHost);
}

extern "C" int gemv_row_step1(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                              void *d_workspace, size_t workspace_bytes) {
    int64_t m = matrix->m, n = matrix->n;
    float *h_x = (float *)malloc((size_t)n * sizeof(float)), *d_answer;
    float *h_y = (float *)malloc((size_t)m * sizeof(float));
    (void)d_workspace, (void)workspace_bytes;
    cudaMalloc((void **)&d_answer, (size_t)m * sizeof(float));
    int code = cudaMemcpy(h_x, d_x, (size_t)n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int64_t row = 0; row < m; row++) {
        h_y[row] = 0.0f;
        for (int64_t c = 0; c < n; c++) h_y[row] += h_a[row * n + c] * h_x[c];
    }
    cudaMemcpy(d_answer, h_y, (size_t)m * sizeof(float), cudaMemcpyHostToDevice);
    copy<<<(unsigned)((m + 255) / 256), 256>>>(d_answer, d_y, m);
    cudaFree(d_answer);
    free(h_x);
    free(h_y);
    return code;
}
