// SPDX-License-Identifier: MIT
// The toolkit's own histogram (CUB's DeviceHistogram) behind the lab's contract, for the --vendor
// row. For comparison only: no step may use it.
#include "histogram.h"

#include <cub/device/device_histogram.cuh>
#include <cuda_runtime.h>

// Bins of equal width from 0 to `end`, which the type of the values need not hold.
template <typename value, typename level>
static int count(const void *d_x, int64_t n, int bins, level end, uint32_t *d_counts) {
    static void *d_temporary; // kept for the next call: only the counting is to be timed
    static size_t have_bytes;
    size_t bytes = 0;
    const value *x = (const value *)d_x;
    int code = cub::DeviceHistogram::HistogramEven(NULL, bytes, x, (int *)d_counts, bins + 1,
                                                   (level)0, end, n);
    if (code == cudaSuccess && bytes > have_bytes) {
        cudaFree(d_temporary);
        have_bytes = 0;
        code = cudaMalloc(&d_temporary, bytes);
        if (code == cudaSuccess) have_bytes = bytes;
    }
    if (code != cudaSuccess) return code;
    return cub::DeviceHistogram::HistogramEven(d_temporary, bytes, x, (int *)d_counts, bins + 1,
                                               (level)0, end, n);
}

extern "C" int histogram_vendor(const void *d_x, int64_t n, histogram_kind kind,
                                uint32_t *d_counts) {
    if (n < 0) return cudaErrorInvalidValue;
    switch (kind) {
    case HISTOGRAM_BYTES: return count<uint8_t>(d_x, n, 256, 1 << 8, d_counts);
    case HISTOGRAM_SHORTS: return count<uint16_t>(d_x, n, 4096, 1 << 16, d_counts);
    case HISTOGRAM_INTS: return count<uint32_t>(d_x, n, 256, 1ll << 32, d_counts);
    default: return cudaErrorInvalidValue;
    }
}
