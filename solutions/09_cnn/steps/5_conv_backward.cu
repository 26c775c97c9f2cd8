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

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 128

typedef struct shape {
    // no tensor exceeds 2^31 elements
    unsigned images, channels, height, width, filters, out_h, out_w;
} shape;

// A thread per element of dx: [images][channels][height][width].
__global__ void __launch_bounds__(THREADS)
    deltas(shape s, const float *delta, const float *w, float *dx) {
    // SOLUTION BEGIN
    unsigned at = blockIdx.x * THREADS + threadIdx.x;
    if (at >= s.images * s.channels * s.height * s.width) return;
    unsigned q = at % s.width, p = at / s.width % s.height;
    unsigned c = at / (s.width * s.height) % s.channels;
    unsigned n = at / (s.width * s.height * s.channels);
    float sum = 0.0f;
    for (unsigned f = 0; f < s.filters; f++) {
        const float *map = delta + (n * s.filters + f) * s.out_h * s.out_w;
        const float *weight = w + (f * s.channels + c) * CNN_TAPS;
        for (unsigned r = 0; r < CNN_SIDE; r++)
            for (unsigned t = 0; t < CNN_SIDE; t++) {
                unsigned i = p - r, j = q - t; // negative ones are large
                if (i < s.out_h && j < s.out_w)
                    sum += map[i * s.out_w + j] * weight[r * CNN_SIDE + t];
            }
    }
    dx[at] = sum;
    // SOLUTION TODO: which image, channel, row and column is this thread's element? Leave out the
    // SOLUTION TODO: (r, s) whose delta[p - r][q - s] lies outside the map.
}

// SOLUTION BEGIN
// The sum of the block's values; in every thread.
__device__ float block_sum(float value) {
    __shared__ float sums[THREADS / 32];
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
    __syncthreads(); // the sums of an earlier call have been read
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0.0f;
    for (int k = 0; k < THREADS / 32; k++) value += sums[k];
    return value;
}

// SOLUTION TODO: a function that gives the sum of the block's values (lab 02)
// A block per weight: its threads take the outputs of all images in turn; the block of channel 0,
// weight 0 of a filter has its bias, too. dw: [filters][channels][5][5], db: [filters].
__global__ void __launch_bounds__(THREADS)
    gradients(shape s, const float *x, const float *delta, float *dw, float *db) {
    // SOLUTION BEGIN
    unsigned tap = blockIdx.x % CNN_TAPS, c = blockIdx.x / CNN_TAPS % s.channels;
    unsigned f = blockIdx.x / CNN_TAPS / s.channels;
    unsigned shift = tap / CNN_SIDE * s.width + tap % CNN_SIDE;
    unsigned pixels = s.out_h * s.out_w;
    float sum = 0.0f, bias = 0.0f;
    for (unsigned k = threadIdx.x; k < s.images * pixels; k += THREADS) {
        unsigned n = k / pixels, i = k % pixels / s.out_w, j = k % s.out_w;
        float d = delta[(n * s.filters + f) * pixels + i * s.out_w + j];
        sum += d * x[((n * s.channels + c) * s.height + i) * s.width + j + shift];
        bias += d;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) dw[blockIdx.x] = sum;
    if (c > 0 || tap > 0) return; // the whole block
    bias = block_sum(bias);
    if (threadIdx.x == 0) db[f] = bias;
    // SOLUTION TODO: blockIdx.x counts the weights [f][c][r][s]. Thread t takes the elements t, t +
    // SOLUTION TODO: THREADS, .. of delta[n][f][i][j] over n, i and j. The order of additions is
    // SOLUTION TODO: fixed.
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
