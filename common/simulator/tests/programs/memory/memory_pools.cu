// SPDX-License-Identifier: MIT
// Stream-ordered allocation from the default pool and from one of the program's own.
#include "../check.h"

__global__ void fill(int *data, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = value;
}

int main() {
    const int n = 5000;
    int *memory, last;
    cudaStream_t stream;
    cudaMemPool_t pool;
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = ~0ull, used;
    CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    for (int round = 0; round < 5; round++) {
        CUDA_CHECK(cudaMallocAsync(&memory, n * sizeof(int), stream));
        fill<<<(n + 255) / 256, 256, 0, stream>>>(memory, n, round);
        CUDA_CHECK(
            cudaMemcpyAsync(&last, memory + n - 1, sizeof last, cudaMemcpyDeviceToHost, stream));
        CUDA_CHECK(cudaFreeAsync(memory, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        EXPECT(last == round);
    }
    CUDA_CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    EXPECT(used == 0);
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
    CUDA_CHECK(cudaMallocFromPoolAsync((void **)&memory, n * sizeof(int), pool, stream));
    fill<<<(n + 255) / 256, 256, 0, stream>>>(memory, n, 77);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaFreeAsync(memory, stream));
    CUDA_CHECK(cudaMemPoolDestroy(pool));
    CUDA_CHECK(cudaStreamDestroy(stream));
    printf("ok\n");
    return 0;
}
