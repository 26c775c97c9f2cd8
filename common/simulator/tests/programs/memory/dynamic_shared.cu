// SPDX-License-Identifier: MIT
// Dynamic shared memory: the usual 48 KiB, the opt-in beyond it, and what happens without opting
// in.
#include "../check.h"

__global__ void reverse(int *data, int n) {
    extern __shared__ int copy[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) copy[i] = data[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = copy[n - 1 - i];
}

__global__ void count_both(int *out) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[4];
    dynamic[threadIdx.x] = 1;
    if (threadIdx.x < 4) fixed[threadIdx.x] = 10;
    __syncthreads();
    if (threadIdx.x == 0) *out = dynamic[255] + fixed[3];
}

// Without opting in, 48 KiB hold the fixed part too; a program that asks for 48 KiB of dynamic
// memory beside it gets them.
static void run_beside_fixed(void) {
    int *out, host = 0;
    cudaFuncAttributes attributes;
    CUDA_CHECK(cudaMalloc(&out, sizeof(int)));
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, count_both));
    EXPECT(attributes.maxDynamicSharedSizeBytes == 49152 - (int)attributes.sharedSizeBytes);
    count_both<<<1, 256, 49152>>>(out);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    CUDA_CHECK(
        cudaFuncSetAttribute(count_both, cudaFuncAttributeMaxDynamicSharedMemorySize, 49152));
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, count_both));
    EXPECT(attributes.maxDynamicSharedSizeBytes == 49152);
    count_both<<<1, 256, 49152>>>(out);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(host == 11);
    CUDA_CHECK(cudaFree(out));
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
    run_beside_fixed();
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
