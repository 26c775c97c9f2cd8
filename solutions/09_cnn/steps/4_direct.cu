// SPDX-License-Identifier: MIT
// Lab 09, step 4: convolution as it is written down. One thread per output.
//
// Lanes have neighbouring outputs of a row: they read neighbouring elements of x, and all the same
// weight.
// Why it is slow: two loads for each multiply-add, and every element of x is loaded 25 times for
// each filter.
#include "cnn.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256

// x: [images][channels][height][width], w: [filters][channels][5][5], b: [filters],
// y: [images][filters][height - 4][width - 4].
__global__ void __launch_bounds__(THREADS)
    direct(unsigned outputs, unsigned channels, unsigned height, unsigned width, unsigned filters,
           const float *x, const float *w, const float *b, float *y) {
    // SOLUTION BEGIN
    unsigned out_h = height - CNN_SIDE + 1, out_w = width - CNN_SIDE + 1;
    unsigned at = blockIdx.x * THREADS + threadIdx.x; // no tensor has more than 2^31 elements
    if (at >= outputs) return;
    unsigned j = at % out_w, i = at / out_w % out_h, f = at / (out_h * out_w) % filters;
    unsigned n = at / (out_h * out_w * filters);
    const float *corner = x + (n * channels * height + i) * width + j;
    const float *weight = w + f * channels * CNN_TAPS;
    float sum = b[f];
    for (unsigned c = 0; c < channels; c++) {
        for (int r = 0; r < CNN_SIDE; r++)
            for (int s = 0; s < CNN_SIDE; s++)
                sum += corner[r * width + s] * weight[r * CNN_SIDE + s];
        corner += height * width;
        weight += CNN_TAPS;
    }
    y[at] = sum;
    // SOLUTION TODO: which image, filter, row and column is this thread's output? Add x[c][i + r][j
    // SOLUTION TODO: + s]
    // SOLUTION TODO: * w[f][c][r][s] over all c, r and s to the filter's bias.
}

extern "C" int cnn_step4(const cnn_task *task) {
    if (!IMPLEMENTED) return CNN_NOT_IMPLEMENTED;
    if (cnn_refuses(task) || task->op != CNN_CONV_FORWARD) return cudaErrorInvalidValue;
    const cnn_shape *s = &task->shape;
    int64_t outputs = s->images * s->filters * cnn_conv_out(s->height) * cnn_conv_out(s->width);
    if (outputs == 0) return cudaSuccess;
    direct<<<(unsigned)((outputs + THREADS - 1) / THREADS), THREADS>>>(
        (unsigned)outputs, (unsigned)s->channels, (unsigned)s->height, (unsigned)s->width,
        (unsigned)s->filters, task->d_x, task->d_w, task->d_b, task->d_y);
    return cudaGetLastError();
}
