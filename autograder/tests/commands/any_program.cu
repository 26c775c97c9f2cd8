// SPDX-License-Identifier: MIT
// Data of cli.c: a program of somebody else's. Its exit status is 3 when the kernel ran.
#include <cuda_runtime.h>

__global__ void scatter(float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i * 8] = (float)i;
}

int main(void) {
    enum { COUNT = 4096 };
    float *d_to = NULL;
    if (cudaMalloc(&d_to, 8 * COUNT * sizeof(float)) != cudaSuccess) return 1;
    scatter<<<COUNT / 256, 256>>>(d_to, COUNT);
    return cudaDeviceSynchronize() == cudaSuccess ? 3 : 1;
}
