// SPDX-License-Identifier: MIT
// Lab 09, step 2: ReLU, and ReLU with max pooling, forward and backward.
//
// f(z) = max(0, z) has f'(z) = 1 where z > 0, else 0: the delta passes or it does not. Of a window
// only the largest element has a part in the output, so the delta goes to that one alone; the
// forward kernel notes which it was. The largest and max(0, .) can be taken in either order, so one
// kernel does both.
#include "cnn.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256

// x, y: [count].
__global__ void __launch_bounds__(THREADS) relu(unsigned count, const float *x, float *y) {
    // SOLUTION BEGIN
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count) y[i] = x[i] > 0.0f ? x[i] : 0.0f;
    // SOLUTION TODO: y is x where x > 0, else 0 (also where x is NaN).
}

// y, delta, dx: [count].
__global__ void __launch_bounds__(THREADS)
    relu_back(unsigned count, const float *y, const float *delta, float *dx) {
    // SOLUTION BEGIN
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count) dx[i] = y[i] > 0.0f ? delta[i] : 0.0f;
    // SOLUTION TODO: the delta passes where ReLU's output y is positive.
}

// A thread per window. x: [maps][height][width]; y, where: [maps][height / 2][width / 2].
__global__ void __launch_bounds__(THREADS)
    pool(unsigned maps, unsigned height, unsigned width, const float *x, float *y, uint8_t *where) {
    // SOLUTION BEGIN
    unsigned out_h = height / CNN_WINDOW, out_w = width / CNN_WINDOW;
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= maps * out_h * out_w) return;
    unsigned map = i / (out_h * out_w), row = i / out_w % out_h, column = i % out_w;
    const float *window = x + (map * height + CNN_WINDOW * row) * width + CNN_WINDOW * column;
    float best = 0.0f;
    int which = CNN_NOWHERE;
    for (int k = 0; k < CNN_NOWHERE; k++) {
        float value = window[k / CNN_WINDOW * width + k % CNN_WINDOW];
        if (value > best) {
            best = value;
            which = k;
        }
    }
    y[i] = best;
    where[i] = (uint8_t)which;
    // SOLUTION TODO: best = 0 and CNN_NOWHERE; then the window's four elements in order: one that
    // SOLUTION TODO: is larger takes over. A last odd row or column belongs to no window.
}

// A thread per element of dx, which asks whether its window chose it.
// delta, where: [maps][height / 2][width / 2]; dx: [maps][height][width].
__global__ void __launch_bounds__(THREADS)
    pool_back(unsigned maps, unsigned height, unsigned width, const float *delta,
              const uint8_t *where, float *dx) {
    // SOLUTION BEGIN
    unsigned out_h = height / CNN_WINDOW, out_w = width / CNN_WINDOW;
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= maps * height * width) return;
    unsigned map = i / (height * width), row = i / width % height, column = i % width;
    unsigned k = row % CNN_WINDOW * CNN_WINDOW + column % CNN_WINDOW;
    float value = 0.0f;
    if (row / CNN_WINDOW < out_h && column / CNN_WINDOW < out_w) {
        unsigned window = (map * out_h + row / CNN_WINDOW) * out_w + column / CNN_WINDOW;
        if (where[window] == k) value = delta[window];
    }
    dx[i] = value;
    // SOLUTION TODO: dx is the window's delta when `where` names this element, else 0. Every
    // SOLUTION TODO: element is written, also those of a last odd row or column.
}

static unsigned blocks_for(unsigned count) {
    return (count + THREADS - 1) / THREADS;
}

extern "C" int cnn_step2(const cnn_task *task) {
    if (!IMPLEMENTED) return CNN_NOT_IMPLEMENTED;
    if (cnn_refuses(task)) return cudaErrorInvalidValue;
    const cnn_shape *s = &task->shape;
    unsigned maps = (unsigned)(s->images * s->channels); // no tensor has more than 2^31 elements
    unsigned height = (unsigned)s->height, width = (unsigned)s->width;
    unsigned windows = maps * (height / CNN_WINDOW) * (width / CNN_WINDOW);
    if (maps == 0) return cudaSuccess;
    switch (task->op) {
    case CNN_RELU_FORWARD: relu<<<blocks_for(maps), THREADS>>>(maps, task->d_x, task->d_y); break;
    case CNN_RELU_BACKWARD:
        relu_back<<<blocks_for(maps), THREADS>>>(maps, task->d_x, task->d_delta, task->d_dx);
        break;
    case CNN_POOL_FORWARD:
        if (windows == 0) return cudaSuccess;
        pool<<<blocks_for(windows), THREADS>>>(maps, height, width, task->d_x, task->d_y,
                                               task->d_where);
        break;
    case CNN_POOL_BACKWARD:
        pool_back<<<blocks_for(maps * height * width), THREADS>>>(
            maps, height, width, task->d_delta, task->d_where_in, task->d_dx);
        break;
    default: return cudaErrorInvalidValue;
    }
    return cudaGetLastError();
}
