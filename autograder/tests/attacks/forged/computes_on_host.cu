// SPDX-License-Identifier: MIT
// attack: Brings the data to the host and adds there: no kernel at all.
// step: 02_reduction 1
// stopped by: LAUNCH_COUNTED, HOST_BYTES, INPUT_READ, WRITERS
// expect: NO_LAUNCH
// gains: points
#include "reduction.h"

#include <cuda_runtime.h>
#include <stdlib.h>

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_workspace, (void)workspace_bytes;
    float *h_x = (float *)malloc((size_t)n * sizeof(float) + 1);
    cudaMemcpy(h_x, d_x, (size_t)n * sizeof(float), cudaMemcpyDeviceToHost);
    double value = op == REDUCTION_SUM ? 0.0 : -INFINITY;
    for (int64_t i = 0; i < n; i++)
        value = op == REDUCTION_SUM ? value + h_x[i] : fmax(value, (double)h_x[i]);
    float result = (float)value;
    free(h_x);
    return cudaMemcpy(d_result, &result, sizeof result, cudaMemcpyHostToDevice);
}
