// SPDX-License-Identifier: MIT
// Gives each pixel its new level: see app.h.
#include "app.h"

#include <cuda_runtime.h>

#define THREADS 256

__global__ void map_pixels(uint8_t *pixel, int64_t n, const uint8_t *level) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) pixel[i] = level[pixel[i]];
}

extern "C" int equal_map(uint8_t *d_pixel, int64_t n, const uint8_t *d_level) {
    unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    map_pixels<<<blocks, THREADS>>>(d_pixel, n, d_level);
    return cudaGetLastError();
}
