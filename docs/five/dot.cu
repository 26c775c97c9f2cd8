// SPDX-License-Identifier: MIT
// A dot product. What is wrong: the result is right here, and may be wrong anywhere else.
#include "five.h"

enum { COUNT = 1 << 16, THREADS = 256 };

__global__ void dot(const float *x, const float *y, int count, float *result) {
    __shared__ float sum;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) sum = 0;
#ifdef CHANGED
    __syncthreads();
#endif
    if (i < count) atomicAdd(&sum, x[i] * y[i]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(result, sum);
}

int main(void) {
    static float x[COUNT], y[COUNT];
    float got = 0;
    double expected = 0;
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)(i % 4);
        y[i] = (float)(i % 3);
        expected += x[i] * y[i];
    }
    float *d_x = (float *)five_upload(x, sizeof x), *d_y = (float *)five_upload(y, sizeof y);
    float *d_result = (float *)five_upload(NULL, sizeof got);
    dot<<<COUNT / THREADS, THREADS>>>(d_x, d_y, COUNT, d_result);
    FIVE_CHECK(cudaMemcpy(&got, d_result, sizeof got, cudaMemcpyDeviceToHost));
    five_free(d_x);
    five_free(d_y);
    five_free(d_result);
    return five_end("dot", got, expected, 1e-6);
}
