// SPDX-License-Identifier: MIT
// cudaDeviceReset after a fault gives a usable device with fresh variables. (An H100 with driver
// 580 answers cudaErrorDevicesUnavailable from then on.)
// engine: yes
// check: out-of-bounds
#include "../check.h"

__device__ int state = 5;

__global__ void damage(int *at) {
    state = 9;
    *at = 1;
}

__global__ void read_state(int *out) {
    *out = state;
}

int main() {
    int *device, value = 0;
    damage<<<1, 1>>>(nullptr);
    EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    CUDA_CHECK(cudaDeviceReset());
    EXPECT_ERROR(cudaGetLastError(), cudaErrorIllegalAddress); // still to be read
    CUDA_CHECK(cudaMalloc(&device, sizeof(int)));
    read_state<<<1, 1>>>(device);
    CUDA_CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    EXPECT(value == 5);
    printf("ok\n");
    return 0;
}
