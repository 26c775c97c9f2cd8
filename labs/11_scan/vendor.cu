// SPDX-License-Identifier: MIT
// The toolkit's own scan (CUB's DeviceScan) behind the lab's contract, for the --vendor row.
// For comparison only: no step may use it.
#include "scan.h"

#include <cub/device/device_scan.cuh>
#include <cuda_runtime.h>

template <class T>
static int sums(const T *x, int64_t n, scan_kind kind, T *y, void *d_temporary, size_t bytes) {
    switch (kind) {
    case SCAN_INCLUSIVE: return cub::DeviceScan::InclusiveSum(d_temporary, bytes, x, y, n);
    case SCAN_EXCLUSIVE: return cub::DeviceScan::ExclusiveSum(d_temporary, bytes, x, y, n);
    default: return cudaErrorInvalidValue;
    }
}

extern "C" int scan_vendor(const void *d_x, int64_t n, scan_type type, scan_kind kind, void *d_y,
                           void *d_workspace, size_t workspace_bytes) {
    if (n < 0 || workspace_bytes < scan_workspace_bytes(n)) return cudaErrorInvalidValue;
    // The library writes its workspace anew in each call and takes what lies behind our counters.
    void *d_temporary = (char *)d_workspace + SCAN_COUNTER_BYTES;
    size_t bytes = workspace_bytes - SCAN_COUNTER_BYTES;
    switch (type) {
    case SCAN_INT: return sums((const unsigned *)d_x, n, kind, (unsigned *)d_y, d_temporary, bytes);
    case SCAN_FLOAT: return sums((const float *)d_x, n, kind, (float *)d_y, d_temporary, bytes);
    default: return cudaErrorInvalidValue;
    }
}
