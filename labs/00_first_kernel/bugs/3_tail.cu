// SPDX-License-Identifier: MIT
// Lab 00, bug hunt 3: y = 2 x for 1000 elements, which are not a multiple of the block's 256
// threads.
//
// Many a GPU runs it and the results are right.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 256
#define N       1000

// x, y: [n].
__global__ void twice(const float *x, int n, float *y) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    bool exists = i <= n;
    if (exists) {
        y[i] = 2.0f * x[i];
    }
}

static cudaError_t run(const float *h_x, float *h_y) {
    float *d_x = NULL, *d_y = NULL;
    size_t bytes = sizeof(float) * N;
    cudaError_t code = cudaMalloc((void **)&d_x, bytes);
    if (code == cudaSuccess) code = cudaMalloc((void **)&d_y, bytes);
    if (code == cudaSuccess) code = cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) {
        twice<<<(N + THREADS - 1) / THREADS, THREADS>>>(d_x, N, d_y);
        code = cudaGetLastError();
    }
    if (code == cudaSuccess) code = cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
    return code;
}

int main(void) {
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)i;
    cudaError_t code = run(x, y);
    if (code != cudaSuccess) {
        printf("CUDA: %s\n", cudaGetErrorString(code));
        return 1;
    }
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += !(y[i] == 2.0f * x[i]);
    printf("%d elements, %d wrong; results %s\n", N, wrong, wrong == 0 ? "right" : "WRONG");
    return wrong == 0 ? 0 : 1;
}
// ladder-skeleton eb280bb855202388 (as it was handed out; any change makes this file yours)
