// SPDX-License-Identifier: MIT
// Lab 00, bug hunt 3, the program around the kernel of step 14: twice 1000 elements.
// The bug is in ../steps/14_twice.cu; nothing is to be changed here.
#include "../steps/14_twice.cu"

#include <stdio.h>

#define N 1000

static cudaError_t run(const float *h_x, float *h_y) {
    float *d_x = NULL, *d_y = NULL;
    size_t bytes = sizeof(float) * N;
    cudaError_t code = cudaMalloc((void **)&d_x, bytes);
    if (code == cudaSuccess) code = cudaMalloc((void **)&d_y, bytes);
    if (code == cudaSuccess) code = cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) code = twice_all(d_x, N, d_y);
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
// ladder-skeleton cd68f2b994fa94f4 (as it was handed out; any change makes this file yours)
