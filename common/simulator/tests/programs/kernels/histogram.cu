// SPDX-License-Identifier: MIT
// Byte histogram with a privatised copy in shared memory; asynchronous memset before it.
#include "../check.h"

#include <vector>

__global__ void histogram(const unsigned char *data, int n, unsigned *bins) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (local[i]) atomicAdd(&bins[i], local[i]);
}

int main() {
    const int n = 50000;
    std::vector<unsigned char> data(n);
    unsigned want[256] = {}, got[256], *d_bins;
    unsigned char *d_data;
    for (int i = 0; i < n; i++) want[data[i] = (unsigned char)((unsigned)i * (unsigned)i / 7)]++;
    CUDA_CHECK(cudaMalloc(&d_data, n));
    CUDA_CHECK(cudaMalloc(&d_bins, sizeof got));
    CUDA_CHECK(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemsetAsync(d_bins, 0, sizeof got));
    histogram<<<8, 128>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(got, d_bins, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++) EXPECT(got[i] == want[i]);
    printf("ok\n");
    return 0;
}
