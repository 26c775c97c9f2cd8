// SPDX-License-Identifier: MIT
// Kernels that never end: the launch is given up after LADDER_SIM_MAX_INSTRUCTIONS with a
// diagnosis, or at once when nothing can change any more. `endless spin` counts, `endless flag`
// waits for a flag that nobody sets, `endless host` for the host, `endless lock` for a lock that
// its own warp holds.
#include "../check.h"

#include <cstring>

__device__ volatile int flag;
__device__ int lock;
__device__ unsigned total;

__global__ void spin(unsigned step) {
    unsigned sum = threadIdx.x;
    while (sum != 1 || step) sum = sum * 3 + step;
    total = sum;
}

__global__ void wait_for_flag() {
    while (!flag) {
    }
}

__global__ void wait_for_host(volatile int *mailbox) {
    while (!*mailbox) __nanosleep(100);
}

__global__ void take_twice() {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
}

int main(int argc, char **argv) {
    const char *which = argc > 1 ? argv[1] : "lock";
    int *d_after;
    CUDA_CHECK(cudaMalloc(&d_after, sizeof(int)));
    if (strcmp(which, "spin") == 0) spin<<<2, 64>>>(2);
    if (strcmp(which, "flag") == 0) wait_for_flag<<<1, 32>>>();
    if (strcmp(which, "lock") == 0) take_twice<<<1, 1>>>();
    if (strcmp(which, "host") == 0) {
        int *mailbox;
        CUDA_CHECK(cudaMallocHost(&mailbox, sizeof(int)));
        *mailbox = 0;
        wait_for_host<<<1, 1>>>(mailbox);
        *mailbox = 1;
    }
    EXPECT(cudaGetLastError() == cudaSuccess);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s: %s\n", which, cudaGetErrorName(error));
    EXPECT(error == cudaErrorLaunchTimeout);
    EXPECT_ERROR(cudaMalloc(&d_after, sizeof(int)), cudaErrorLaunchTimeout); // sticks
    CUDA_CHECK(cudaDeviceReset());
    CUDA_CHECK(cudaMalloc(&d_after, sizeof(int)));
    CUDA_CHECK(cudaMemset(d_after, 0, sizeof(int)));
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("goes on\n");
    return 0;
}
