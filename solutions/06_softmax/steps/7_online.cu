// SPDX-License-Identifier: MIT
// Lab 06, step 7: maximum and sum in one pass (Milakov and Gimelshein, "Online normalizer
// calculation for softmax", 2018). Each lane keeps the largest element m that it has seen and the
// sum s of exp(x - m); when m grows to m', s is multiplied by exp(m - m').
//
// What it fixes: the row is read twice, not three times.
// Why it is slow: it is still read twice, and the second time from memory when rows are long.
#include "softmax.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 128 // per block
#define LANES   32  // that share a row
#define GROUPS  (THREADS / LANES)

// What to subtract when `most` is the largest element so far: -infinity minus itself would be NaN.
__device__ __forceinline__ float base_of(float most) {
    return most == -INFINITY ? 0.0f : most;
}

// Takes four more elements into *most and *sum.
__device__ __forceinline__ void take4(float4 v, float *most, float *sum) {
    // SOLUTION BEGIN
    float larger = fmaxf(*most, max4(v)), base = base_of(larger);
    *sum = *sum * exp_below(*most, base) + sum4(exp4_below(v, base));
    *most = larger;
    // SOLUTION TODO: the larger of *most and the four elements; *sum rescaled to it, plus the four
    // SOLUTION TODO: new terms. What happens while everything seen is -infinity? See base_of.
}

// x, y: [rows][columns]
__global__ void online(const float *x, int64_t rows, int columns, float *y) {
    int64_t number = (int64_t)blockIdx.x * GROUPS + threadIdx.x / LANES;
    int lane = threadIdx.x % LANES;
    softmax_row row = row_parts(x, y, number, rows, columns, lane);
    float edge = row.edge ? *row.edge : -INFINITY;
    // SOLUTION BEGIN
    float mine = edge, sum = exp_below(edge, base_of(edge));
    for (int i = lane; i < row.count4; i += LANES) take4(row.from[i], &mine, &sum);
    float most = lanes_max<LANES>(mine);
    // A lane that saw nothing but -infinity has the sum 0. All lanes so: NaN, as the contract says.
    float factor = 1.0f / lanes_sum<LANES>(sum * exp_below(mine, most));
    for (int i = lane; i < row.count4; i += LANES)
        store4(&row, i, scale4(exp4_below(row.from[i], most), factor));
    if (row.edge) *row.edge_to = exp_below(edge, most) * factor;
    // SOLUTION TODO: one loop with take4, begun with this lane's element of the edge; then the
    // SOLUTION TODO: lanes' largest elements and, each rescaled to the row's largest, their sums;
    // SOLUTION TODO: then the second pass.
}

extern "C" int softmax_step7(const float *d_x, int64_t rows, int64_t columns, float *d_y) {
    if (!IMPLEMENTED) return SOFTMAX_NOT_IMPLEMENTED;
    if (softmax_refuses(d_x, rows, columns, d_y)) return cudaErrorInvalidValue;
    unsigned blocks = (unsigned)((rows + GROUPS - 1) / GROUPS);
    online<<<blocks, THREADS>>>(d_x, rows, (int)columns, d_y);
    return cudaGetLastError();
}
