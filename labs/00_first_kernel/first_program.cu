// SPDX-License-Identifier: MIT
// Lab 00: a first whole CUDA program. The page quotes it; a test compiles and runs it.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

// Runs on the device, once per thread. x, y: [n], in device memory.
__global__ void scale(const float *x, int n, float a, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; // this thread's element
    if (i < n) {                                   // the last block has more threads than elements
        y[i] = a * x[i];
    }
}

static void must(cudaError_t code, const char *what) {
    if (code != cudaSuccess) {
        printf("%s: %s\n", what, cudaGetErrorString(code));
        exit(1);
    }
}

int main(void) {
    enum { N = 1000, THREADS = 256, BLOCKS = (N + THREADS - 1) / THREADS };
    float h_x[N], h_y[N]; // h_: host memory
    for (int i = 0; i < N; i++) {
        h_x[i] = (float)i;
    }

    float *d_x = NULL, *d_y = NULL; // d_: device memory
    must(cudaMalloc(&d_x, sizeof h_x), "allocating x");
    must(cudaMalloc(&d_y, sizeof h_y), "allocating y");
    must(cudaMemcpy(d_x, h_x, sizeof h_x, cudaMemcpyHostToDevice), "copying x to the device");

    scale<<<BLOCKS, THREADS>>>(d_x, N, 2.0f, d_y); // 4 blocks of 256 threads: 1024 threads
    must(cudaGetLastError(), "launching");

    // The copy waits until the kernel has finished.
    must(cudaMemcpy(h_y, d_y, sizeof h_y, cudaMemcpyDeviceToHost), "copying y to the host");
    printf("2 x %g = %g\n", h_x[N - 1], h_y[N - 1]);
    must(cudaFree(d_x), "freeing x");
    must(cudaFree(d_y), "freeing y");
    return 0;
}
