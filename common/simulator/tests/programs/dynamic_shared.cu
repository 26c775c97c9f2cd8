// SPDX-License-Identifier: MIT
// Dynamic shared memory: the usual 48 KiB, the opt-in beyond it, and what happens without opting
// in.
#include "check.h"

__global__ void reverse(int *data, int n) {
    extern __shared__ int copy[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) copy[i] = data[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = copy[n - 1 - i];
}

static void run(int n) {
    int *host = new int[n], *device;
    for (int i = 0; i < n; i++) host[i] = 3 * i;
    CUDA_CHECK(cudaMalloc(&device, n * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(device, host, n * sizeof(int), cudaMemcpyHostToDevice));
    reverse<<<1, 256, n * sizeof(int)>>>(device, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(host, device, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) EXPECT(host[i] == 3 * (n - 1 - i));
    CUDA_CHECK(cudaFree(device));
    delete[] host;
}

int main() {
    run(1000);
    run(12288); // 48 KiB exactly
    int optin;
    CUDA_CHECK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    EXPECT(optin > 49152);
    int *device;
    CUDA_CHECK(cudaMalloc(&device, 64 * 1024));
    reverse<<<1, 256, 64 * 1024>>>(device, 16384);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    CUDA_CHECK(
        cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
    run(16384);
    EXPECT_ERROR(
        cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, optin + 1),
        cudaErrorInvalidValue);
    cudaGetLastError();
    CUDA_CHECK(cudaFree(device));
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("ok\n");
    return 0;
}
