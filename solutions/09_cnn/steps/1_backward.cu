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

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256
#define WARPS   (THREADS / 32)

// A warp per input of an image: its lanes take the outputs lane, lane + 32, ..
// delta: [images][outputs], w: [inputs][outputs], dx: [images][inputs].
__global__ void __launch_bounds__(THREADS)
    deltas(unsigned images, unsigned inputs, unsigned outputs, const float *delta, const float *w,
           float *dx) {
    // SOLUTION BEGIN
    unsigned i = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (i >= images * inputs) return; // the whole warp
    unsigned n = i / inputs, k = i % inputs;
    float sum = 0.0f;
    for (unsigned o = lane; o < outputs; o += 32)
        sum += delta[n * outputs + o] * w[k * outputs + o];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) dx[i] = sum;
    // SOLUTION TODO: dx[n][k] is the sum of delta[n][o] * w[k][o] over o: row k of w, because w is
    // SOLUTION TODO: transposed. The warp adds up its lanes' sums with shuffles; one lane writes.
}

// A thread per weight; the first `outputs` threads also have a bias each.
// x: [images][inputs], delta: [images][outputs], dw: [inputs][outputs], db: [outputs].
__global__ void __launch_bounds__(THREADS)
    gradients(unsigned images, unsigned inputs, unsigned outputs, const float *x,
              const float *delta, float *dw, float *db) {
    // SOLUTION BEGIN
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= inputs * outputs) return;
    unsigned k = i / outputs, o = i % outputs;
    float sum = 0.0f;
    for (unsigned n = 0; n < images; n++) sum += x[n * inputs + k] * delta[n * outputs + o];
    dw[i] = sum;
    if (k > 0) return;
    sum = 0.0f;
    for (unsigned n = 0; n < images; n++) sum += delta[n * outputs + o];
    db[o] = sum;
    // SOLUTION TODO: dw[k][o] is the sum of x[n][k] * delta[n][o] over the images: column k of x,
    // SOLUTION TODO: because x is transposed. db[o] is the sum of delta[n][o]. Without images both
    // SOLUTION TODO: are 0.
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
