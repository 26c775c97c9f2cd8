// SPDX-License-Identifier: MIT
// Lab 06, step 1: one warp per row (report, section 2.1.1). Lanes read neighbouring elements, and
// shuffles combine what the lanes found.
//
// What it fixes: a request uses its sectors whole, and there are 32 times as many threads.
// Why it is slow: 4-byte loads, and the row is read three times.
#include "softmax.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS   128 // per block
#define ALL_LANES 0xffffffffu
#define LANES     32                // that share a row
#define GROUPS    (THREADS / LANES) // rows per block

// The largest value, or the sum, of the group's LANES lanes, in each of them. Every lane of the
// warp must call it: the mask names all 32.
__device__ __forceinline__ float group_max(float value) {
    // SOLUTION BEGIN
    for (int distance = LANES / 2; distance >= 1; distance /= 2)
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, distance));
    // SOLUTION TODO: __shfl_xor_sync with distances LANES / 2, .., 2, 1
    return value;
}

__device__ __forceinline__ float group_sum(float value) {
    // SOLUTION BEGIN
    for (int distance = LANES / 2; distance >= 1; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    // SOLUTION TODO: the same with an addition
    return value;
}

// x, y: [rows][columns]
__global__ void warp_rows(const float *x, int64_t rows, int columns, float *y) {
    // SOLUTION BEGIN
    int64_t row = (int64_t)blockIdx.x * GROUPS + threadIdx.x / LANES;
    int lane = threadIdx.x % LANES;
    int count = row < rows ? columns : 0; // a group without a row still takes part in the shuffles
    const float *from = x + row * columns;
    float *to = y + row * columns;
    float most = -INFINITY, sum = 0.0f;
    for (int j = lane; j < count; j += LANES) most = fmaxf(most, from[j]);
    most = group_max(most);
    for (int j = lane; j < count; j += LANES) sum += __expf(from[j] - most);
    float factor = 1.0f / group_sum(sum);
    for (int j = lane; j < count; j += LANES) to[j] = __expf(from[j] - most) * factor;
    // SOLUTION TODO: the three passes of step 0, but the LANES lanes of a group share the row:
    // SOLUTION TODO: lane, lane + LANES, .. The block's groups have neighbouring rows. What must a
    // SOLUTION TODO: group do whose row does not exist?
}

extern "C" int softmax_step1(const float *d_x, int64_t rows, int64_t columns, float *d_y) {
    if (!IMPLEMENTED) return SOFTMAX_NOT_IMPLEMENTED;
    if (softmax_refuses(d_x, rows, columns, d_y)) return cudaErrorInvalidValue;
    unsigned blocks = (unsigned)((rows + GROUPS - 1) / GROUPS);
    warp_rows<<<blocks, THREADS>>>(d_x, rows, (int)columns, d_y);
    return cudaGetLastError();
}
