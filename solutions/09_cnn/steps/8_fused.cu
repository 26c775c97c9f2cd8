// SPDX-License-Identifier: MIT
// Lab 09, step 8: convolution, bias, ReLU and pooling in one kernel. A thread computes one window
// of 2 x 2 outputs, for FILTERS filters, and stores the largest.
//
// What it fixes: the output of the convolution, four times as large as the pooled one, went to
// memory and back; two kernels were launched. And a patch of 6 x 6 elements, kept in registers,
// serves 4 outputs x FILTERS filters.
#include "cnn.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 128
#define FILTERS 4 // of a thread: one 16-byte load from shared memory brings their weights
#define CHUNK   8 // channels whose weights lie in shared memory at a time
#define PATCH   (CNN_SIDE + 1)

typedef struct shape {
    int channels, height, width, filters, pooled_h, pooled_w;
    int64_t windows; // images * pooled_h * pooled_w
} shape;

// x: [images][channels][height][width], w: [filters][channels][5][5], b: [filters];
// y, where: [images][filters][pooled_h][pooled_w]. blockIdx.y counts groups of FILTERS filters.
__global__ void __launch_bounds__(THREADS)
    fused(shape s, const float *x, const float *w, const float *b, float *y, uint8_t *where) {
    // SOLUTION BEGIN
    __shared__ float4 weights[CHUNK][CNN_TAPS]; // of the block's filters
    int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    bool inside = at < s.windows;
    int plane = s.pooled_h * s.pooled_w, first_f = blockIdx.y * FILTERS;
    int64_t n = inside ? at / plane : 0;
    int pixel = inside ? (int)(at % plane) : 0;
    const float *corner = x +
                          (n * s.channels * s.height + pixel / s.pooled_w * CNN_WINDOW) * s.width +
                          pixel % s.pooled_w * CNN_WINDOW;
    float sum[FILTERS][CNN_NOWHERE];
    for (int f = 0; f < FILTERS; f++)
        for (int k = 0; k < CNN_NOWHERE; k++)
            sum[f][k] = first_f + f < s.filters ? b[first_f + f] : 0.0f;

    for (int c0 = 0; c0 < s.channels; c0 += CHUNK) {
        __syncthreads(); // no thread reads the weights of the chunk before any more
        for (int e = threadIdx.x; e < CHUNK * CNN_TAPS * FILTERS; e += THREADS) {
            int f = first_f + e / (CHUNK * CNN_TAPS), k = e % (CHUNK * CNN_TAPS);
            bool there = f < s.filters && c0 + k / CNN_TAPS < s.channels;
            ((float *)weights)[k * FILTERS + e / (CHUNK * CNN_TAPS)] =
                there ? w[((int64_t)f * s.channels + c0) * CNN_TAPS + k] : 0.0f;
        }
        __syncthreads(); // the weights are complete
        int channels = s.channels - c0 < CHUNK ? s.channels - c0 : CHUNK;
        for (int c = 0; inside && c < channels; c++) {
            float patch[PATCH][PATCH];
#pragma unroll
            for (int r = 0; r < PATCH; r++)
#pragma unroll
                for (int t = 0; t < PATCH; t++) patch[r][t] = corner[r * s.width + t];
            corner += s.height * s.width;
#pragma unroll
            for (int tap = 0; tap < CNN_TAPS; tap++) {
                float4 four = weights[c][tap];
                float weight[FILTERS] = {four.x, four.y, four.z, four.w};
#pragma unroll
                for (int f = 0; f < FILTERS; f++)
#pragma unroll
                    for (int k = 0; k < CNN_NOWHERE; k++)
                        sum[f][k] +=
                            weight[f] *
                            patch[tap / CNN_SIDE + k / CNN_WINDOW][tap % CNN_SIDE + k % CNN_WINDOW];
            }
        }
    }
    if (!inside) return;
    for (int f = 0; f < FILTERS && first_f + f < s.filters; f++) {
        float best = 0.0f;
        int which = CNN_NOWHERE;
        for (int k = 0; k < CNN_NOWHERE; k++)
            if (sum[f][k] > best) {
                best = sum[f][k];
                which = k;
            }
        int64_t out = (n * s.filters + first_f + f) * plane + pixel;
        y[out] = best;
        where[out] = (uint8_t)which;
    }
    // SOLUTION TODO: sum[FILTERS][4] in registers, begun with the biases. For each channel: the
    // SOLUTION TODO: patch of 6 x 6 elements into registers, then 25 taps x FILTERS x 4
    // SOLUTION TODO: multiply-adds with the weights in shared memory. At the end step 2's choice of
    // SOLUTION TODO: the largest. All threads take part in the barriers, also those after the last
    // SOLUTION TODO: window.
}

extern "C" int cnn_step8(const cnn_task *task) {
    if (!IMPLEMENTED) return CNN_NOT_IMPLEMENTED;
    if (cnn_refuses(task) || task->op != CNN_CONV_POOL) return cudaErrorInvalidValue;
    const cnn_shape *t = &task->shape;
    shape s = {(int)t->channels,
               (int)t->height,
               (int)t->width,
               (int)t->filters,
               (int)cnn_conv_out(t->height) / CNN_WINDOW,
               (int)cnn_conv_out(t->width) / CNN_WINDOW,
               0};
    s.windows = t->images * s.pooled_h * s.pooled_w;
    if (s.windows == 0) return cudaSuccess;
    dim3 blocks((unsigned)((s.windows + THREADS - 1) / THREADS),
                (unsigned)((s.filters + FILTERS - 1) / FILTERS));
    fused<<<blocks, THREADS>>>(s, task->d_x, task->d_w, task->d_b, task->d_y, task->d_where);
    return cudaGetLastError();
}
