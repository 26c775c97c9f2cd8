// SPDX-License-Identifier: MIT
// Lab 09, step 7: implicit GEMM. The same product, but the matrix of columns is never written: a
// block that needs a tile of it computes where in x the elements lie.
//
// What it fixes: the columns, 25 times as large as x, were written to memory and read again.
// What it costs: integer arithmetic for the addresses, which a thread spares by keeping its pixel.
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

// y[n][f][i][j] = sum over k of w[f][k] x[n][c][i + r][j + s], k = (c, r, s), plus b[f]. A block
// per tile of TILE_F filters x TILE_P pixels p = (n, i, j).
__global__ void __launch_bounds__(THREADS)
    implicit(shape s, const float *x, const float *w, const float *b, float *y) {
    // SOLUTION BEGIN
    __shared__ __align__(16) float w_tile[TILE_K][TILE_F + 4]; // 4: stores to different banks
    __shared__ float x_tile[TILE_K][TILE_P];
    int t = threadIdx.x, own_p = t % LANES_P, own_f = t / LANES_P * OWN;
    int first_f = blockIdx.y * TILE_F, plane = s.out_h * s.out_w;
    int64_t first_p = (int64_t)blockIdx.x * TILE_P;
    float sum[OWN][OWN] = {};

    // THREADS is a multiple of TILE_P: all elements that a thread loads are of one pixel.
    int64_t load_p = first_p + t % TILE_P;
    bool inside = load_p < s.pixels;
    int64_t n = inside ? load_p / plane : 0;
    int pixel = inside ? (int)(load_p % plane) : 0;
    const float *corner =
        x + (n * s.channels * s.height + pixel / s.out_w) * s.width + pixel % s.out_w;

    for (int k0 = 0; k0 < s.depth; k0 += TILE_K) {
        for (int e = t; e < TILE_K * TILE_F; e += THREADS) {
            int k = e % TILE_K, f = e / TILE_K;
            bool there = k0 + k < s.depth && first_f + f < s.filters;
            w_tile[k][f] = there ? w[(int64_t)(first_f + f) * s.depth + k0 + k] : 0.0f;
        }
        for (int row = t / TILE_P; row < TILE_K; row += THREADS / TILE_P) {
            int k = k0 + row, c = k / CNN_TAPS, tap = k % CNN_TAPS;
            int at = (c * s.height + tap / CNN_SIDE) * s.width + tap % CNN_SIDE;
            x_tile[row][t % TILE_P] = inside && k < s.depth ? corner[at] : 0.0f;
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
    for (int j = 0; j < OWN; j++) {
        int64_t p = first_p + own_p + LANES_P * j;
        if (p >= s.pixels) break;
        float *out = y + p / plane * s.filters * plane + p % plane;
        for (int i = 0; i < OWN; i++) {
            int f = first_f + own_f + i;
            if (f < s.filters) out[(int64_t)f * plane] = sum[i][j] + b[f];
        }
    }
    // SOLUTION TODO: as the product of step 6; the tile of columns comes from x itself. A thread
    // SOLUTION TODO: loads TILE_K * TILE_P / THREADS elements, all of pixel t % TILE_P: where its 5
    // SOLUTION TODO: x 5 corner lies is computed once, the (c, r, s) of each k in the loop.
}

extern "C" int cnn_step7(const cnn_task *task) {
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
    dim3 tiles((unsigned)((s.pixels + TILE_P - 1) / TILE_P),
               (unsigned)((s.filters + TILE_F - 1) / TILE_F));
    implicit<<<tiles, THREADS>>>(s, task->d_x, task->d_w, task->d_b, task->d_y);
    return cudaGetLastError();
}
