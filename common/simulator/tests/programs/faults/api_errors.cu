// Wrong arguments of memory functions, and the texts of errors.
// check: bad-free
#include "../check.h"

#include <cstring>

int main() {
    char host[64] = {};
    char *device;
    CUDA_CHECK(cudaMalloc(&device, 64));
    EXPECT_ERROR(cudaMemcpy(device, host, 65, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaMemcpy(host, host + 32, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaMemcpy(nullptr, host, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaMemcpy(device, host, 8, (cudaMemcpyKind)17), cudaErrorInvalidMemcpyDirection);
    EXPECT_ERROR(cudaMemset(host, 0, 8), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaMemset(device, 0, 65), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaFree(host), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaFree(device + 4), cudaErrorInvalidValue);
    CUDA_CHECK(cudaFree(device));
    EXPECT_ERROR(cudaFree(device), cudaErrorInvalidValue);
    void *huge;
    EXPECT_ERROR(cudaMalloc(&huge, (size_t)1 << 46), cudaErrorMemoryAllocation);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorMemoryAllocation);
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(strcmp(cudaGetErrorName(cudaErrorInvalidConfiguration),
                  "cudaErrorInvalidConfiguration") == 0);
    EXPECT(strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration),
                  "invalid configuration argument") == 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("ok\n");
    return 0;
}
