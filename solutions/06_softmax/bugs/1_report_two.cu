// SPDX-License-Identifier: MIT
// Lab 06, bug hunt 1: the report's kernel for two rows per warp (section 2.2.1), as it is there but
// for its names. The results are right. Find the bug with `ladder check softmax report_two`, and
// fix it here.
#include "report.cuh"

#define GROUPS 2             // rows per warp, and per block
#define LANES  (32 / GROUPS) // per row

// The groups' shuffles: a lane names those that take part.
// SOLUTION BEGIN
#define MASK                                                                                       \
    0xffffffffu // all 32 lanes of the warp call the shuffle; the width keeps the groups apart
// SOLUTION STUB: #define MASK 0xffffu

// x, y: [ROWS][COLUMNS]
__global__ void two_rows(const float *x, float *y) {
    __shared__ float row_max[GROUPS], row_sum[GROUPS];
    int group = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const float *from = x + ((long)blockIdx.x * GROUPS + group) * COLUMNS;
    float *to = y + ((long)blockIdx.x * GROUPS + group) * COLUMNS;
    float value = -INFINITY;
    for (int j = lane; j < COLUMNS; j += LANES) value = fmaxf(value, from[j]);
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        value = fmaxf(value, __shfl_down_sync(MASK, value, distance, LANES));
    if (lane == 0) row_max[group] = value;
    __syncthreads();
    value = 0.0f;
    for (int j = lane; j < COLUMNS; j += LANES) value += __expf(from[j] - row_max[group]);
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        value += __shfl_down_sync(MASK, value, distance, LANES);
    if (lane == 0) row_sum[group] = value;
    __syncthreads();
    for (int j = lane; j < COLUMNS; j += LANES)
        to[j] = __expf(from[j] - row_max[group]) / row_sum[group];
}

int main(void) {
    return report_main(two_rows, GROUPS);
}
