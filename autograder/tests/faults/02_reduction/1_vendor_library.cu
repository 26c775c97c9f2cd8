// SPDX-License-Identifier: MIT
// fault: step=1 file=1_interleaved.cu expect=FORBIDDEN
// Calls the toolkit's own algorithm, which is a library of headers.
#include "reduction.h"

#include <cuda_runtime.h>
#include <cub/device/device_reduce.cuh>

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)op;
    return cub::DeviceReduce::Sum(d_workspace, workspace_bytes, d_x, d_result, n);
}
