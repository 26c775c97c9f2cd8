// SPDX-License-Identifier: MIT
// Lab 09, step 6: convolution as a matrix product. im2col writes down, for each output pixel, the
// channels * 25 elements of x that it takes: a column. Then
//
//     y (filters x pixels) = w (filters x channels * 25) times columns (channels * 25 x pixels),
//
// which lab 07's tiles compute: 16 products per 8 elements loaded from shared memory.
// What it costs: the matrix of columns is 25 times as large as x, and is written and read.
#include "cnn.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 128
#define TILE_F  32 // filters of a block's tile
#define TILE_P  64 // pixels
#define TILE_K  16 // products of an element at a time
#define OWN     4  // a thread computes 4 x 4 elements: filters 4 f + i, pixels p + 16 j
#define LANES_P (TILE_P / OWN)

typedef struct shape {
    int images, channels, height, width, filters, out_h, out_w;
    int depth;      // channels * 25
    int64_t pixels; // images * out_h * out_w
} shape;

// A thread per element: columns[k][p] = x[n][c][i + r][j + s], k = (c, r, s), p = (n, i, j).
__global__ void __launch_bounds__(THREADS) im2col(shape s, const float *x, float *columns) {
    // SOLUTION BEGIN
    int64_t p = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (p >= s.pixels) return;
    int j = (int)(p % s.out_w), i = (int)(p / s.out_w % s.out_h);
    int64_t n = p / (s.out_w * s.out_h);
    int k = blockIdx.y, c = k / CNN_TAPS, r = k % CNN_TAPS / CNN_SIDE, t = k % CNN_SIDE;
    columns[k * s.pixels + p] = x[((n * s.channels + c) * s.height + i + r) * s.width + j + t];
    // SOLUTION TODO: p counts this thread's column, blockIdx.y is k.
}

// y[n][f][i][j] = sum over k of w[f][k] columns[k][p], plus b[f]. A block per tile of TILE_F x
// TILE_P.
__global__ void __launch_bounds__(THREADS)
    product(shape s, const float *w, const float *columns, const float *b, float *y) {
    // SOLUTION BEGIN
    __shared__ __align__(16) float w_tile[TILE_K][TILE_F + 4]; // 4: stores to different banks
    __shared__ float x_tile[TILE_K][TILE_P];
    int t = threadIdx.x, own_p = t % LANES_P, own_f = t / LANES_P * OWN;
    int first_f = blockIdx.y * TILE_F;
    int64_t first_p = (int64_t)blockIdx.x * TILE_P;
    float sum[OWN][OWN] = {};
    for (int k0 = 0; k0 < s.depth; k0 += TILE_K) {
        for (int e = t; e < TILE_K * TILE_F; e += THREADS) {
            int k = e % TILE_K, f = e / TILE_K;
            bool there = k0 + k < s.depth && first_f + f < s.filters;
            w_tile[k][f] = there ? w[(int64_t)(first_f + f) * s.depth + k0 + k] : 0.0f;
        }
        for (int e = t; e < TILE_K * TILE_P; e += THREADS) {
            int k = e / TILE_P, p = e % TILE_P;
            bool there = k0 + k < s.depth && first_p + p < s.pixels;
            x_tile[k][p] = there ? columns[(k0 + k) * s.pixels + first_p + p] : 0.0f;
        }
        __syncthreads(); // the tiles are complete
#pragma unroll
        for (int k = 0; k < TILE_K; k++) {
            float4 four = *(const float4 *)&w_tile[k][own_f];
            float weights[OWN] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (int j = 0; j < OWN; j++) {
                float value = x_tile[k][own_p + LANES_P * j];
#pragma unroll
                for (int i = 0; i < OWN; i++) sum[i][j] += weights[i] * value;
            }
        }
        __syncthreads(); // no thread reads the tiles any more
    }
    int plane = s.out_h * s.out_w;
    for (int j = 0; j < OWN; j++) {
        int64_t p = first_p + own_p + LANES_P * j;
        if (p >= s.pixels) break;
        float *out = y + p / plane * s.filters * plane + p % plane;
        for (int i = 0; i < OWN; i++) {
            int f = first_f + own_f + i;
            if (f < s.filters) out[(int64_t)f * plane] = sum[i][j] + b[f];
        }
    }
    // SOLUTION TODO: lab 07's tiles: w_tile[TILE_K][TILE_F] and x_tile[TILE_K][TILE_P] in shared
    // SOLUTION TODO: memory, 0 where w or columns end; a thread adds up OWN x OWN elements in
    // SOLUTION TODO: registers. At the end p = (n, i, j) says where in y the element lies. Do not
    // SOLUTION TODO: forget the bias.
}

extern "C" int cnn_step6(const cnn_task *task) {
    if (!IMPLEMENTED) return CNN_NOT_IMPLEMENTED;
    if (cnn_refuses(task) || task->op != CNN_CONV_FORWARD) return cudaErrorInvalidValue;
    const cnn_shape *t = &task->shape;
    shape s = {(int)t->images,
               (int)t->channels,
               (int)t->height,
               (int)t->width,
               (int)t->filters,
               (int)cnn_conv_out(t->height),
               (int)cnn_conv_out(t->width),
               (int)t->channels * CNN_TAPS,
               0};
    s.pixels = t->images * s.out_h * s.out_w;
    if (s.pixels == 0) return cudaSuccess;
    if (s.depth > 65535) return cudaErrorInvalidValue; // blocks in y
    float *columns = (float *)task->d_workspace;
    dim3 elements((unsigned)((s.pixels + THREADS - 1) / THREADS), (unsigned)s.depth);
    dim3 tiles((unsigned)((s.pixels + TILE_P - 1) / TILE_P),
               (unsigned)((s.filters + TILE_F - 1) / TILE_F));
    im2col<<<elements, THREADS>>>(s, task->d_x, columns);
    product<<<tiles, THREADS>>>(s, task->d_w, columns, task->d_b, task->d_y);
    return cudaGetLastError();
}
