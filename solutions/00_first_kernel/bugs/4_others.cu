// SPDX-License-Identifier: MIT
// Lab 00, bug hunt 4, the program around the kernel of step 15: sums of the others.
// The bug is in ../steps/15_others.cu; nothing is to be changed here.
#include "../steps/15_others.cu"

#include <stdio.h>

#define GROUPS 40
#define N      (GROUPS * EACH)

static cudaError_t run(const float *h_x, float *h_y) {
    float *d_x = NULL, *d_y = NULL;
    size_t bytes = sizeof(float) * N;
    cudaError_t code = cudaMalloc((void **)&d_x, bytes);
    if (code == cudaSuccess) code = cudaMalloc((void **)&d_y, bytes);
    if (code == cudaSuccess) code = cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) code = sum_others(d_x, GROUPS, d_y);
    if (code == cudaSuccess) code = cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
    return code;
}

int main(void) {
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)(i % 100);
    cudaError_t code = run(x, y);
    if (code != cudaSuccess) {
        printf("CUDA: %s\n", cudaGetErrorString(code));
        return 1;
    }
    int wrong = 0;
    for (int g = 0; g < GROUPS; g++) {
        float sum = 0.0f;
        for (int i = 0; i < EACH; i++) sum += x[g * EACH + i]; // whole numbers: no sum rounds
        for (int i = g * EACH; i < (g + 1) * EACH; i++) wrong += !(y[i] == sum - x[i]);
    }
    printf("%d sums, %d wrong; results %s\n", N, wrong, wrong == 0 ? "right" : "WRONG");
    return wrong == 0 ? 0 : 1;
}
