// SPDX-License-Identifier: MIT
// Kernels before and behind a product: see products.h. They are not what the lab is about: one
// thread per element.
#include "products/products.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define THREADS 256
#define SIDE    5 // of a filter of lab 09
#define TAPS    (SIDE * SIDE)

static unsigned blocks_for(int64_t n) {
    return (unsigned)((n + THREADS - 1) / THREADS);
}

// Of x [N][C][H][W]: the element under tap and channel `c` of output pixel `r`.
__device__ int64_t patch(const net_matrix &m, int64_t r, int64_t c) {
    int64_t image = r / m.pixels, pixel = r % m.pixels, across = m.width - SIDE + 1;
    int64_t channel = c / TAPS, tap = c % TAPS;
    int64_t row = pixel / across + tap / SIDE, column = pixel % across + tap % SIDE;
    return ((image * m.channels + channel) * m.height + row) * m.width + column;
}

__device__ int64_t index_of(const net_matrix &m, int64_t r, int64_t c) {
    switch (m.order) {
    case NET_ROWS: return r * m.columns + c;
    case NET_COLUMNS: return c * m.rows + r;
    case NET_PATCHES: return patch(m, r, c);
    case NET_PATCHES_COLUMNS: return patch(m, c, r);
    case NET_MAPS: return (r / m.pixels * m.columns + c) * m.pixels + r % m.pixels;
    case NET_MAPS_COLUMNS: return (c / m.pixels * m.rows + r) * m.pixels + c % m.pixels;
    }
    return 0;
}

// out: [rows][columns].
__global__ void pack(net_matrix m, bool half, int64_t rows, int64_t columns, void *out) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= rows * columns) return;
    int64_t r = i / columns, c = i % columns;
    float x = r < m.rows && c < m.columns ? m.scale * m.d_from[index_of(m, r, c)] : 0.0f;
    if (half)
        ((__half *)out)[i] = __float2half(x);
    else
        ((__nv_bfloat16 *)out)[i] = __float2bfloat16(x);
}

// sums: [..][stride]; bias: [columns] or NULL.
__global__ void unpack(net_matrix m, const float *sums, int64_t stride, const float *bias,
                       float *to) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= m.rows * m.columns) return;
    int64_t r = i / m.columns, c = i % m.columns;
    to[index_of(m, r, c)] = m.scale * sums[r * stride + c] + (bias ? bias[c] : 0.0f);
}

// sums: [images * pixels][stride]; dx: [images][channels][height][width].
__global__ void unpack_patches(net_matrix m, int64_t images, const float *sums, int64_t stride,
                               float *dx) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t area = m.height * m.width;
    if (i >= images * m.channels * area) return;
    int64_t image = i / (m.channels * area), channel = i / area % m.channels;
    int64_t row = i % area / m.width, column = i % m.width;
    int64_t across = m.width - SIDE + 1, down = m.height - SIDE + 1;
    float sum = 0.0f;
    for (int tap = 0; tap < TAPS; tap++) {
        int64_t y = row - tap / SIDE, x = column - tap % SIDE;
        if (y < 0 || y >= down || x < 0 || x >= across) continue;
        sum += sums[(image * m.pixels + y * across + x) * stride + channel * TAPS + tap];
    }
    dx[i] = m.scale * sum;
}

// A block per filter.
__global__ void bias(const float *delta, int64_t images, int64_t filters, int64_t pixels,
                     float *db) {
    __shared__ float sums[THREADS];
    float sum = 0.0f;
    for (int64_t i = threadIdx.x; i < images * pixels; i += THREADS)
        sum += delta[(i / pixels * filters + blockIdx.x) * pixels + i % pixels];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) db[blockIdx.x] = sums[0];
}

extern "C" int net_pack(const net_matrix *matrix, tensor_gemm_type type, int64_t rows,
                        int64_t columns, void *d_out) {
    pack<<<blocks_for(rows * columns), THREADS>>>(*matrix, type == TENSOR_GEMM_HALF, rows, columns,
                                                  d_out);
    return cudaGetLastError();
}

extern "C" int net_unpack(const net_matrix *to, const float *d_sums, int64_t stride,
                          const float *d_bias, float *d_to) {
    unpack<<<blocks_for(to->rows * to->columns), THREADS>>>(*to, d_sums, stride, d_bias, d_to);
    return cudaGetLastError();
}

extern "C" int net_unpack_patches(const net_matrix *to, int64_t images, const float *d_sums,
                                  int64_t stride, float *d_dx) {
    int64_t n = images * to->channels * to->height * to->width;
    unpack_patches<<<blocks_for(n), THREADS>>>(*to, images, d_sums, stride, d_dx);
    return cudaGetLastError();
}

extern "C" int net_bias(const float *d_delta, int64_t images, int64_t filters, int64_t pixels,
                        float *d_db) {
    bias<<<(unsigned)filters, THREADS>>>(d_delta, images, filters, pixels, d_db);
    return cudaGetLastError();
}
