// SPDX-License-Identifier: MIT
// The occupancy calculator: block sizes it proposes can be launched, more shared memory means fewer
// blocks, what it says is available fits.
#include "../check.h"

__global__ void light(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= 2;
}

__global__ void heavy(float *data) {
    __shared__ float big[8192];
    big[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = big[blockDim.x - 1 - threadIdx.x];
}

int main() {
    int grid = 0, block = 0, blocks, fewer, sms;
    CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, light, 0, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(block > 0 && block <= 1024 && block % 32 == 0 && grid >= sms);
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 256, 0));
    EXPECT(blocks == 8); // 2048 threads per SM
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, light, 256, 40000));
    EXPECT(fewer > 0 && fewer < blocks);
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, heavy, 128, 0));
    EXPECT(fewer == 6); // 233472 / (32768 + 1024)
    size_t bytes;
    CUDA_CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, light, 4, 256));
    CUDA_CHECK(
        cudaFuncSetAttribute(light, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 256, bytes));
    EXPECT(blocks == 4);
    const int n = 1000;
    float *device;
    CUDA_CHECK(cudaMalloc(&device, n * sizeof(float)));
    CUDA_CHECK(cudaMemset(device, 0, n * sizeof(float)));
    light<<<(n + block - 1) / block, block>>>(device, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("ok\n");
    return 0;
}
