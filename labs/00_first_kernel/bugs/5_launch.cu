// SPDX-License-Identifier: MIT
// Lab 00, bug hunt 5: y = x + 1, then y = y + 1, each by a kernel; the second one was "tuned".
//
// Its results are wrong, and nothing says why.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define N 4096

// from, to: [N].
__global__ void plus_one(const float *from, float *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) to[i] = from[i] + 1.0f;
}

static bool run(const float *h_x, float *h_y) {
    float *d_x = NULL, *d_y = NULL;
    size_t bytes = sizeof(float) * N;
    bool good = cudaMalloc((void **)&d_x, bytes) == cudaSuccess &&
                cudaMalloc((void **)&d_y, bytes) == cudaSuccess &&
                cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice) == cudaSuccess;
    if (good) {
        plus_one<<<N / 256, 256>>>(d_x, d_y);
        plus_one<<<N / 2048, 2048>>>(d_y, d_y);
    }
    good = good && cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    cudaFree(d_x);
    cudaFree(d_y);
    return good;
}

int main(void) {
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)i;
    if (!run(x, y)) {
        printf("a call of the runtime failed\n");
        return 1;
    }
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += !(y[i] == x[i] + 2.0f);
    printf("%d elements, %d wrong; results %s\n", N, wrong, wrong == 0 ? "right" : "WRONG");
    return wrong == 0 ? 0 : 1;
}
// ladder-skeleton 7d64bd136a06ca35 (as it was handed out; any change makes this file yours)
