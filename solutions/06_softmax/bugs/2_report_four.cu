// SPDX-License-Identifier: MIT
// Lab 06, bug hunt 2: the report's kernel for four rows per warp (section 2.3.1), as it is
// there but for its names. The results are right. Find the bug with `ladder check softmax
// report_four`, and fix it here.
#include <cuda_runtime.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#define ROWS    64
#define COLUMNS 1000
#define GROUPS  4             // rows per warp, and per block
#define LANES   (32 / GROUPS) // per row

// The groups' shuffles: a lane names those that take part.
// SOLUTION BEGIN
#define MASK                                                                                       \
    0xffffffffu // all 32 lanes of the warp call the shuffle; the width keeps the groups apart
// SOLUTION STUB: #define MASK 0xffu

// x, y: [ROWS][COLUMNS]
__global__ void four_rows(const float *x, float *y) {
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

static cudaError_t run(const float *h_x, float *h_y, size_t bytes) {
    float *d_x = NULL, *d_y = NULL;
    cudaError_t code = cudaMalloc((void **)&d_x, bytes);
    if (code == cudaSuccess) code = cudaMalloc((void **)&d_y, bytes);
    if (code == cudaSuccess) code = cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) {
        four_rows<<<ROWS / GROUPS, 32>>>(d_x, d_y);
        code = cudaGetLastError();
    }
    if (code == cudaSuccess) code = cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
    return code;
}

// How many results of a row are off by more than 1e-5 of their value.
static int count_wrong(const float *x, const float *y) {
    double most = -INFINITY, sum = 0.0;
    int wrong = 0;
    for (int j = 0; j < COLUMNS; j++) most = fmax(most, x[j]);
    for (int j = 0; j < COLUMNS; j++) sum += exp(x[j] - most);
    for (int j = 0; j < COLUMNS; j++) {
        double want = exp(x[j] - most) / sum;
        wrong += !(fabs(y[j] - want) <= 1e-5 * want);
    }
    return wrong;
}

int main(void) {
    static float x[ROWS * COLUMNS], y[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = (float)((i * 37) % 101) / 8.0f;
    cudaError_t code = run(x, y, sizeof x);
    if (code != cudaSuccess) {
        printf("CUDA: %s\n", cudaGetErrorString(code));
        return 1;
    }
    int wrong = 0;
    for (int r = 0; r < ROWS; r++) wrong += count_wrong(x + r * COLUMNS, y + r * COLUMNS);
    printf("%d results, %d wrong; results %s\n", ROWS * COLUMNS, wrong,
           wrong == 0 ? "right" : "WRONG");
    return wrong == 0 ? 0 : 1;
}
