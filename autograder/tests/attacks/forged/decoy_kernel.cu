// SPDX-License-Identifier: MIT
// attack: Adds on the host and launches a kernel that only writes the answer down.
// step: 02_reduction 1
// stopped by: HOST_BYTES, INPUT_READ
// expect: READ_BACK
// gains: points
#include "reduction.h"

#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void write_down(float *result, float value) {
    *result = value;
}

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_workspace, (void)workspace_bytes;
    float *h_x = (float *)malloc((size_t)n * sizeof(float) + 1);
    cudaMemcpy(h_x, d_x, (size_t)n * sizeof(float), cudaMemcpyDeviceToHost);
    double value = op == REDUCTION_SUM ? 0.0 : -INFINITY;
    for (int64_t i = 0; i < n; i++)
        value = op == REDUCTION_SUM ? value + h_x[i] : fmax(value, (double)h_x[i]);
    free(h_x);
    write_down<<<1, 1>>>(d_result, (float)value);
    return cudaGetLastError();
}
