// SPDX-License-Identifier: MIT
// Lab 09, step 1: the fully connected layer backward. delta is the derivative of the loss with
// respect to y = x w + b; wanted are those with respect to x, w and b.
//
//     dx = delta w^T      the lecture's "delta W'^T", which the layer before turns into its own
//                         delta
//     dw = x^T delta      the lecture's "A^T delta"
//     db = the sum of delta over the images
//
// The lecture has one recursion without the transpose: then the shapes do not even fit, unless the
// layer is square.
#include "cnn.h"

#include <cuda_runtime.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define THREADS 256
#define WARPS   (THREADS / 32)

// A warp per input of an image: its lanes take the outputs lane, lane + 32, ..
// delta: [images][outputs], w: [inputs][outputs], dx: [images][inputs].
__global__ void __launch_bounds__(THREADS)
    deltas(unsigned images, unsigned inputs, unsigned outputs, const float *delta, const float *w,
           float *dx) {
    // TODO(student): dx[n][k] is the sum of delta[n][o] * w[k][o] over o: row k of w, because w is
    // transposed. The warp adds up its lanes' sums with shuffles; one lane writes.
}

// A thread per weight; the first `outputs` threads also have a bias each.
// x: [images][inputs], delta: [images][outputs], dw: [inputs][outputs], db: [outputs].
__global__ void __launch_bounds__(THREADS)
    gradients(unsigned images, unsigned inputs, unsigned outputs, const float *x,
              const float *delta, float *dw, float *db) {
    // TODO(student): dw[k][o] is the sum of x[n][k] * delta[n][o] over the images: column k of x,
    // because x is transposed. db[o] is the sum of delta[n][o]. Without images both
    // are 0.
}

extern "C" int cnn_step1(const cnn_task *task) {
    if (!IMPLEMENTED) return CNN_NOT_IMPLEMENTED;
    if (cnn_refuses(task) || task->op != CNN_FC_BACKWARD) return cudaErrorInvalidValue;
    const cnn_shape *s = &task->shape;
    unsigned images = (unsigned)s->images, inputs = (unsigned)s->channels;
    unsigned outputs = (unsigned)s->filters; // no tensor has more than 2^31 elements
    int64_t weights = s->channels * s->filters, warps = s->images * s->channels;
    if (images > 0)
        deltas<<<(unsigned)((warps + WARPS - 1) / WARPS), THREADS>>>(
            images, inputs, outputs, task->d_delta, task->d_w, task->d_dx);
    gradients<<<(unsigned)((weights + THREADS - 1) / THREADS), THREADS>>>(
        images, inputs, outputs, task->d_x, task->d_delta, task->d_dw, task->d_db);
    return cudaGetLastError();
}
// ladder-skeleton 35d3f0c89911447b (as it was handed out; any change makes this file yours)
