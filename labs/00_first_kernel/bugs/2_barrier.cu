// SPDX-License-Identifier: MIT
// Lab 00, bug hunt 2: the adjacent difference through a tile in shared memory, as in step 5.
//
// On the simulator its results are right. Run it with --order reverse.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 256
#define N       (100 * THREADS)

// x, y: [N]. y[i] = x[i] - x[i - 1], y[0] = x[0].
__global__ void difference(const float *x, float *y) {
    __shared__ float tile[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    tile[t] = x[i];
    if (t > 0) {
        y[i] = tile[t] - tile[t - 1];
    } else {
        y[i] = i > 0 ? tile[0] - x[i - 1] : tile[0];
    }
}

static cudaError_t run(const float *h_x, float *h_y) {
    float *d_x = NULL, *d_y = NULL;
    size_t bytes = sizeof(float) * N;
    cudaError_t code = cudaMalloc((void **)&d_x, bytes);
    if (code == cudaSuccess) code = cudaMalloc((void **)&d_y, bytes);
    if (code == cudaSuccess) code = cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) {
        difference<<<N / THREADS, THREADS>>>(d_x, d_y);
        code = cudaGetLastError();
    }
    if (code == cudaSuccess) code = cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
    return code;
}

int main(void) {
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)(i % 1000) * (float)(i % 7);
    cudaError_t code = run(x, y);
    if (code != cudaSuccess) {
        printf("CUDA: %s\n", cudaGetErrorString(code));
        return 1;
    }
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += !(y[i] == (i > 0 ? x[i] - x[i - 1] : x[0]));
    printf("%d elements, %d wrong; results %s\n", N, wrong, wrong == 0 ? "right" : "WRONG");
    return wrong == 0 ? 0 : 1;
}
// ladder-skeleton a9200fd93eaf2451 (as it was handed out; any change makes this file yours)
