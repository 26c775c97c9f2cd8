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

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

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
    // TODO(student): p counts this thread's column, blockIdx.y is k.
}

// y[n][f][i][j] = sum over k of w[f][k] columns[k][p], plus b[f]. A block per tile of TILE_F x
// TILE_P.
__global__ void __launch_bounds__(THREADS)
    product(shape s, const float *w, const float *columns, const float *b, float *y) {
    // TODO(student): lab 07's tiles: w_tile[TILE_K][TILE_F] and x_tile[TILE_K][TILE_P] in shared
    // memory, 0 where w or columns end; a thread adds up OWN x OWN elements in
    // registers. At the end p = (n, i, j) says where in y the element lies. Do not
    // forget the bias.
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
// ladder-skeleton 759fbf7fe312333e (as it was handed out; any change makes this file yours)
