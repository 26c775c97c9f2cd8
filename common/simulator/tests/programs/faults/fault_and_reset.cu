// cudaDeviceReset gives a device with fresh variables; after a fault none, as on an H100 and an
// H200 with driver 580.
// engine: yes
// check: out-of-bounds
#include "../check.h"

__device__ int state = 5;

__global__ void damage(int *at) {
    state = 9;
    if (at != &state) *at = 1;
}

__global__ void read_state(int *out) { *out = state; }

int main() {
    int *device, value = 0;
    CUDA_CHECK(cudaGetSymbolAddress((void **)&device, state));
    damage<<<1, 1>>>(device);
    CUDA_CHECK(cudaDeviceReset());
    CUDA_CHECK(cudaMalloc(&device, sizeof(int)));
    read_state<<<1, 1>>>(device);
    CUDA_CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    EXPECT(value == 5);
    damage<<<1, 1>>>(nullptr);
    EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    CUDA_CHECK(cudaDeviceReset());
    EXPECT_ERROR(cudaGetLastError(), cudaErrorIllegalAddress); // still to be read
    EXPECT_ERROR(cudaMalloc(&device, sizeof(int)), cudaErrorDevicesUnavailable);
    EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorDevicesUnavailable);
    printf("ok\n");
    return 0;
}
