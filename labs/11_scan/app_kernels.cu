// SPDX-License-Identifier: MIT
// What lies between the scans of lab 11's application: see app.h. A thread for each element.
#include <cuda_runtime.h>

extern "C" {
#include "app.h"
}

#define THREADS 256

static unsigned blocks_for(int64_t n) {
    return (unsigned)((n + THREADS - 1) / THREADS);
}

static __device__ __forceinline__ int64_t element() {
    return (int64_t)blockIdx.x * THREADS + threadIdx.x;
}

__global__ void flag_bright(const uint8_t *pixels, int64_t n, int limit, int32_t *flags) {
    int64_t i = element();
    if (i < n) flags[i] = pixels[i] >= limit;
}

__global__ void flag_runs(const uint8_t *pixels, int64_t n, int32_t *flags) {
    int64_t i = element();
    if (i < n) flags[i] = i == 0 || pixels[i] != pixels[i - 1];
}

__global__ void gather(const uint8_t *pixels, const int32_t *flags, const int32_t *position,
                       int64_t n, int32_t *places, uint8_t *values) {
    int64_t i = element();
    if (i >= n || !flags[i]) return;
    places[position[i]] = (int32_t)i;
    if (values) values[position[i]] = pixels[i];
}

__global__ void lengths_of(const int32_t *begin, int64_t runs, int64_t n, int32_t *lengths) {
    int64_t r = element();
    if (r < runs) lengths[r] = (r + 1 < runs ? begin[r + 1] : (int32_t)n) - begin[r];
}

__global__ void mark(const int32_t *begin, int64_t runs, int32_t *marks) {
    int64_t r = element();
    if (r < runs) marks[begin[r]] = 1;
}

__global__ void spread(const uint8_t *values, const int32_t *number, int64_t n, uint8_t *pixels) {
    int64_t i = element();
    if (i < n) pixels[i] = values[number[i] - 1];
}

extern "C" int coding_flag_bright(const uint8_t *d_pixels, int64_t n, int limit, int32_t *d_flags) {
    flag_bright<<<blocks_for(n), THREADS>>>(d_pixels, n, limit, d_flags);
    return cudaGetLastError();
}

extern "C" int coding_flag_runs(const uint8_t *d_pixels, int64_t n, int32_t *d_flags) {
    flag_runs<<<blocks_for(n), THREADS>>>(d_pixels, n, d_flags);
    return cudaGetLastError();
}

extern "C" int coding_gather(const uint8_t *d_pixels, const int32_t *d_flags,
                             const int32_t *d_position, int64_t n, int32_t *d_places,
                             uint8_t *d_values) {
    gather<<<blocks_for(n), THREADS>>>(d_pixels, d_flags, d_position, n, d_places, d_values);
    return cudaGetLastError();
}

extern "C" int coding_lengths(const int32_t *d_begin, int64_t runs, int64_t n, int32_t *d_lengths) {
    lengths_of<<<blocks_for(runs), THREADS>>>(d_begin, runs, n, d_lengths);
    return cudaGetLastError();
}

extern "C" int coding_mark(const int32_t *d_begin, int64_t runs, int32_t *d_marks) {
    mark<<<blocks_for(runs), THREADS>>>(d_begin, runs, d_marks);
    return cudaGetLastError();
}

extern "C" int coding_spread(const uint8_t *d_values, const int32_t *d_number, int64_t n,
                             uint8_t *d_pixels) {
    spread<<<blocks_for(n), THREADS>>>(d_values, d_number, n, d_pixels);
    return cudaGetLastError();
}
