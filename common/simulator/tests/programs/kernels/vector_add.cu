// SPDX-License-Identifier: MIT
// The first program of every course: c = a + b, for sizes that are not a multiple of the block.
// engine: yes
#include "../check.h"

#include <vector>

__global__ void vector_add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

static void run(int n) {
    std::vector<float> a(n), b(n), c(n, -1.0f);
    for (int i = 0; i < n; i++) a[i] = 0.5f * i, b[i] = 3.0f - i;
    float *d_a, *d_b, *d_c;
    size_t bytes = n * sizeof(float);
    CUDA_CHECK(cudaMalloc(&d_a, bytes));
    CUDA_CHECK(cudaMalloc(&d_b, bytes));
    CUDA_CHECK(cudaMalloc(&d_c, bytes));
    CUDA_CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
    vector_add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) EXPECT(c[i] == a[i] + b[i]);
    CUDA_CHECK(cudaFree(d_a));
    CUDA_CHECK(cudaFree(d_b));
    CUDA_CHECK(cudaFree(d_c));
}

int main() {
    const int sizes[] = {1, 31, 255, 256, 257, 100003};
    for (int n : sizes) run(n);
    printf("ok\n");
    return 0;
}
