// SPDX-License-Identifier: MIT
// The toolkit's own reduction (CUB's DeviceReduce) behind the lab's contract, for the --vendor row.
// For comparison only: no step may use it.
#include "reduction.h"

#include <cub/device/device_reduce.cuh>
#include <cuda_runtime.h>

// Of CUB's own, versions have different ones.
struct larger {
    __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};

extern "C" int reduction_vendor(const float *d_x, int64_t n, reduction_op op, float *d_result,
                                void *d_workspace, size_t workspace_bytes) {
    if (n < 0 || workspace_bytes < reduction_workspace_bytes(n)) return cudaErrorInvalidValue;
    // The library writes its workspace anew in each call and takes what lies behind our counters.
    void *d_temporary = (char *)d_workspace + REDUCTION_COUNTER_BYTES;
    size_t temporary_bytes = workspace_bytes - REDUCTION_COUNTER_BYTES;
    switch (op) {
    case REDUCTION_SUM:
        return cub::DeviceReduce::Sum(d_temporary, temporary_bytes, d_x, d_result, n);
    case REDUCTION_MAX:
        // Not Max(): that one gives the smallest finite float for no elements.
        return cub::DeviceReduce::Reduce(d_temporary, temporary_bytes, d_x, d_result, n, larger{},
                                         -INFINITY);
    default: return cudaErrorInvalidValue;
    }
}
