// SPDX-License-Identifier: MIT
// A polynomial whose coefficients lie in constant memory, whole and in part replaced by the host.
#include "../check.h"

__constant__ float coefficients[4] = {1, 0, 0, 0};

__global__ void evaluate(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 3; k >= 0; k--) sum = sum * x[i] + coefficients[k];
    y[i] = sum;
}

int main() {
    const int n = 100;
    float x[n], y[n], *d_x, *d_y;
    for (int i = 0; i < n; i++) x[i] = (float)(i % 7);
    CUDA_CHECK(cudaMalloc(&d_x, sizeof x));
    CUDA_CHECK(cudaMalloc(&d_y, sizeof y));
    CUDA_CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));

    evaluate<<<1, 128>>>(d_x, d_y, n); // the initial values: 1
    CUDA_CHECK(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) EXPECT(y[i] == 1.0f);

    const float cubic[4] = {2, -1, 3, 1};
    CUDA_CHECK(cudaMemcpyToSymbol(coefficients, cubic, sizeof cubic));
    const float seven = 7;
    CUDA_CHECK(cudaMemcpyToSymbol(coefficients, &seven, sizeof seven, sizeof(float)));
    evaluate<<<1, 128>>>(d_x, d_y, n);
    CUDA_CHECK(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) EXPECT(y[i] == 2 + 7 * x[i] + 3 * x[i] * x[i] + x[i] * x[i] * x[i]);

    float back[4];
    CUDA_CHECK(cudaMemcpyFromSymbol(back, coefficients, sizeof back));
    EXPECT(back[0] == 2 && back[1] == 7 && back[2] == 3 && back[3] == 1);
    EXPECT_ERROR(cudaMemcpyToSymbol(coefficients, cubic, sizeof cubic, 4), cudaErrorInvalidValue);
    printf("ok\n");
    return 0;
}
