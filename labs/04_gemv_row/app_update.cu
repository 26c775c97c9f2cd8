// SPDX-License-Identifier: MIT
// One iteration's vectors on the device: see app.h. The maxima are those of the bits of magnitudes,
// which for floats without a sign are in the order of their values, NaN above all: so a NaN is
// never lost, and the result does not depend on the order of blocks.
#include <cuda_runtime.h>

extern "C" {
#include "app.h"
}

#define THREADS   256
#define WARP      32
#define ALL_LANES 0xffffffffu

__device__ __forceinline__ void raise(float *most, float value) {
    unsigned bits = __float_as_uint(fabsf(value));
#if __CUDA_ARCH__ >= 800
    bits = __reduce_max_sync(ALL_LANES, bits);
#else
    for (int distance = WARP / 2; distance >= 1; distance /= 2) {
        bits = max(bits, __shfl_xor_sync(ALL_LANES, bits, distance));
    }
#endif
    if (threadIdx.x % WARP == 0) {
        atomicMax((unsigned *)most, bits);
    }
}

__global__ void update(const float *y, const float *b, const float *d, float *x, int64_t n,
                       float tolerance, int k, jacobi_change *history) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k > 0) {
        jacobi_change before = history[k - 1];
        if (before.change <= FLT_MAX &&
            before.change <= tolerance * before.size) { // jacobi_is_done
            if (i == 0) {
                history[k] = before;
            }
            return;
        }
    }
    float next = 0.0f;
    float change = 0.0f;
    if (i < n) {
        next = (b[i] - y[i]) / d[i];
        change = next - x[i];
        x[i] = next;
    }
    raise(&history[k].change, change);
    raise(&history[k].size, next);
}

extern "C" int jacobi_update(const float *d_y, const float *d_b, const float *d_d, float *d_x,
                             int64_t n, float tolerance, int k, jacobi_change *d_history) {
    unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    update<<<blocks, THREADS>>>(d_y, d_b, d_d, d_x, n, tolerance, k, d_history);
    return cudaGetLastError();
}
