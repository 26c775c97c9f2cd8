// SPDX-License-Identifier: MIT
// Lab 00, bug hunt 4: each of 200 elements becomes the sum of the others, by a tree in shared
// memory.
//
// It may be right, wrong, or never come to an end: that depends on the card and on the compiler.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 256
#define EACH    200 // elements of a block
#define BLOCKS  40

// x, y: [BLOCKS][EACH].
__global__ void others(const float *x, float *y) {
    __shared__ float partial[THREADS];
    int t = threadIdx.x;
    float mine = t < EACH ? x[blockIdx.x * EACH + t] : 0.0f;
    partial[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        // SOLUTION BEGIN
        if (t < half) {
            partial[t] += partial[t + half];
        }
        __syncthreads(); // for all threads, also for those that had nothing to add
        // SOLUTION STUB: if (t < half) {
        // SOLUTION STUB:     partial[t] += partial[t + half];
        // SOLUTION STUB:     __syncthreads();
        // SOLUTION STUB: }
        // SOLUTION END
    }
    __syncthreads();
    if (t < EACH) y[blockIdx.x * EACH + t] = partial[0] - mine;
}

static cudaError_t run(const float *h_x, float *h_y) {
    float *d_x = NULL, *d_y = NULL;
    size_t bytes = sizeof(float) * BLOCKS * EACH;
    cudaError_t code = cudaMalloc((void **)&d_x, bytes);
    if (code == cudaSuccess) code = cudaMalloc((void **)&d_y, bytes);
    if (code == cudaSuccess) code = cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) {
        others<<<BLOCKS, THREADS>>>(d_x, d_y);
        code = cudaGetLastError();
    }
    if (code == cudaSuccess) code = cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
    return code;
}

int main(void) {
    static float x[BLOCKS * EACH], y[BLOCKS * EACH];
    for (int i = 0; i < BLOCKS * EACH; i++) x[i] = (float)(i % 100); // no sum rounds
    cudaError_t code = run(x, y);
    if (code != cudaSuccess) {
        printf("CUDA: %s\n", cudaGetErrorString(code));
        return 1;
    }
    int wrong = 0;
    for (int b = 0; b < BLOCKS; b++) {
        float sum = 0.0f;
        for (int i = 0; i < EACH; i++) sum += x[b * EACH + i];
        for (int i = b * EACH; i < (b + 1) * EACH; i++) wrong += !(y[i] == sum - x[i]);
    }
    printf("%d sums, %d wrong; results %s\n", BLOCKS * EACH, wrong, wrong == 0 ? "right" : "WRONG");
    return wrong == 0 ? 0 : 1;
}
