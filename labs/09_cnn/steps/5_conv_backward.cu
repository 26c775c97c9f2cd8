// SPDX-License-Identifier: MIT
// Lab 09, step 5: convolution backward. y[f][i][j] takes x[c][i+r][j+s] w[f][c][r][s], so
//
//     dx[c][p][q]    = sum over f, r, s of delta[f][p-r][q-s] w[f][c][r][s], where delta exists
//     dw[f][c][r][s] = sum over n, i, j of delta[n][f][i][j] x[n][c][i+r][j+s]
//     db[f]          = sum over n, i, j of delta[n][f][i][j]
//
// Seen from delta, many elements add to one element of dx: that would need atomics, whose order,
// and so whose rounding, differs from run to run. Seen from dx, each thread collects what is its
// own.
#include "cnn.h"

#include <cuda_runtime.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define THREADS 128

typedef struct shape {
    // no tensor exceeds 2^31 elements
    unsigned images, channels, height, width, filters, out_h, out_w;
} shape;

// A thread per element of dx: [images][channels][height][width].
__global__ void __launch_bounds__(THREADS)
    deltas(shape s, const float *delta, const float *w, float *dx) {
    // TODO(student): which image, channel, row and column is this thread's element? Leave out the
    // (r, s) whose delta[p - r][q - s] lies outside the map.
}

// TODO(student): a function that gives the sum of the block's values (lab 02)
// A block per weight: its threads take the outputs of all images in turn; the block of channel 0,
// weight 0 of a filter has its bias, too. dw: [filters][channels][5][5], db: [filters].
__global__ void __launch_bounds__(THREADS)
    gradients(shape s, const float *x, const float *delta, float *dw, float *db) {
    // TODO(student): blockIdx.x counts the weights [f][c][r][s]. Thread t takes the elements t, t +
    // THREADS, .. of delta[n][f][i][j] over n, i and j. The order of additions is
    // fixed.
}

extern "C" int cnn_step5(const cnn_task *task) {
    if (!IMPLEMENTED) return CNN_NOT_IMPLEMENTED;
    if (cnn_refuses(task) || task->op != CNN_CONV_BACKWARD) return cudaErrorInvalidValue;
    const cnn_shape *t = &task->shape;
    shape s = {(unsigned)t->images,
               (unsigned)t->channels,
               (unsigned)t->height,
               (unsigned)t->width,
               (unsigned)t->filters,
               (unsigned)cnn_conv_out(t->height),
               (unsigned)cnn_conv_out(t->width)};
    int64_t elems = t->images * t->channels * t->height * t->width;
    int64_t weights = t->filters * t->channels * CNN_TAPS;
    if (elems > 0)
        deltas<<<(unsigned)((elems + THREADS - 1) / THREADS), THREADS>>>(s, task->d_delta,
                                                                         task->d_w, task->d_dx);
    gradients<<<(unsigned)weights, THREADS>>>(s, task->d_x, task->d_delta, task->d_dw, task->d_db);
    return cudaGetLastError();
}
// ladder-skeleton 496a4bba600f5aaf (as it was handed out; any change makes this file yours)
