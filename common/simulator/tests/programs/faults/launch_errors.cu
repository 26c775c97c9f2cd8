// Mistakes in a launch configuration: each has its error, none of them outlives being read.
#include "../check.h"

__global__ void nothing() {}

__global__ void __launch_bounds__(128) bounded(int *out) { out[threadIdx.x] = 1; }

int main() {
    nothing<<<0, 32>>>();
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaGetLastError(), cudaSuccess);
    nothing<<<1, 0>>>();
    EXPECT_ERROR(cudaPeekAtLastError(), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    nothing<<<1, 2048>>>();
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    nothing<<<1, dim3(1, 1, 128)>>>();
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    nothing<<<dim3(1, 70000), 32>>>();
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    nothing<<<1, 32, 1 << 20>>>();
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    int *device;
    CUDA_CHECK(cudaMalloc(&device, 1024));
    bounded<<<1, 256>>>(device);
    EXPECT(cudaGetLastError() != cudaSuccess);
    nothing<<<1, 32, 0, (cudaStream_t)0>>>();
    CUDA_CHECK(cudaGetLastError());
    bounded<<<1, 128>>>(device);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT_ERROR(cudaSetDevice(99), cudaErrorInvalidDevice);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidDevice);
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("ok\n");
    return 0;
}
