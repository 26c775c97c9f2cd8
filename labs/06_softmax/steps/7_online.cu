// SPDX-License-Identifier: MIT
// Lab 06, step 7: maximum and sum in one pass (Milakov and Gimelshein, "Online normalizer
// calculation for softmax", 2018). Each lane keeps the largest element m that it has seen and the
// sum s of exp(x - m); when m grows to m', s is multiplied by exp(m - m').
//
// What it fixes: the row is read twice, not three times.
// Why it is slow: it is still read twice, and the second time from memory when rows are long.
#include "softmax.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define THREADS 128 // per block
#define LANES   32  // that share a row
#define GROUPS  (THREADS / LANES)

// What to subtract when `most` is the largest element so far: -infinity minus itself would be NaN.
__device__ __forceinline__ float base_of(float most) {
    return most == -INFINITY ? 0.0f : most;
}

// Takes four more elements into *most and *sum.
__device__ __forceinline__ void take4(float4 v, float *most, float *sum) {
    // TODO(student): the larger of *most and the four elements; *sum rescaled to it, plus the four
    // new terms. What happens while everything seen is -infinity? See base_of.
}

// x, y: [rows][columns]
__global__ void online(const float *x, int64_t rows, int columns, float *y) {
    int64_t number = (int64_t)blockIdx.x * GROUPS + threadIdx.x / LANES;
    int lane = threadIdx.x % LANES;
    softmax_row row = row_parts(x, y, number, rows, columns, lane);
    float edge = row.edge ? *row.edge : -INFINITY;
    // TODO(student): one loop with take4, begun with this lane's element of the edge; then the
    // lanes' largest elements and, each rescaled to the row's largest, their sums;
    // then the second pass.
}

extern "C" int softmax_step7(const float *d_x, int64_t rows, int64_t columns, float *d_y) {
    if (!IMPLEMENTED) return SOFTMAX_NOT_IMPLEMENTED;
    if (softmax_refuses(d_x, rows, columns, d_y)) return cudaErrorInvalidValue;
    unsigned blocks = (unsigned)((rows + GROUPS - 1) / GROUPS);
    online<<<blocks, THREADS>>>(d_x, rows, (int)columns, d_y);
    return cudaGetLastError();
}
// ladder-skeleton 037f4a3a988f0e2a (as it was handed out; any change makes this file yours)
