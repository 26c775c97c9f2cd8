// SPDX-License-Identifier: MIT
// What steps 2 and 4 of lab 10 share: the exclusive sums of an array of counts (given).
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

enum { PRUNING_SUMS_THREADS = 1024 };

// out[i] = counts[0] + .. + counts[i - 1], for i = 0 .. count; in one block. counts may be out.
static __global__ void __launch_bounds__(PRUNING_SUMS_THREADS)
    pruning_sums_kernel(const int32_t *counts, int count, int32_t *out) {
    __shared__ int warp_sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, before = 0;
    for (int first = 0; first < count; first += PRUNING_SUMS_THREADS) {
        int i = first + threadIdx.x;
        int own = i < count ? counts[i] : 0, sum = own;
        for (int step = 1; step < 32; step *= 2) {
            int other = __shfl_up_sync(0xffffffffu, sum, step);
            if (lane >= step) sum += other;
        }
        if (lane == 31) warp_sums[warp] = sum;
        __syncthreads();
        int left = 0, all = 0;
        for (int w = 0; w < 32; w++) {
            left += w < warp ? warp_sums[w] : 0;
            all += warp_sums[w];
        }
        if (i < count) out[i] = before + left + sum - own;
        before += all;
        __syncthreads(); // all have read warp_sums
    }
    if (threadIdx.x == 0) out[count] = before;
}

static inline void pruning_sums(const int32_t *counts, int count, int32_t *out) {
    pruning_sums_kernel<<<1, PRUNING_SUMS_THREADS>>>(counts, count, out);
}
