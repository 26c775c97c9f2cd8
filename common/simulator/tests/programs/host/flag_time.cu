// SPDX-License-Identifier: MIT
// Two kernels that exchange flags, on two devices and on one: they run at the same time, and each
// exchange takes as long as a store needs to the kernel that polls; blocks wait at the same time.
// test: none
// environment: LADDER_SIM_DEVICES=2
#include "../check.h"

enum { ROUNDS = 100, MOST_BLOCKS = 64 };

// own, other: [gridDim.x]; each block exchanges with that of its number.
__global__ void exchange(volatile int *own, volatile int *other) {
    for (int round = 1; round <= ROUNDS; round++) {
        other[blockIdx.x] = round;
        while (own[blockIdx.x] < round) continue;
    }
}

static int *d_flags[2];
static cudaStream_t streams[2];

static void on(int device) { CUDA_CHECK(cudaSetDevice(device)); }

// Microseconds of an exchange of so many blocks between device 0 and device 0 or 1.
static double measure(int peer, int blocks) {
    cudaEvent_t begin, end;
    float ms;
    for (int i = 0; i < 2; i++) {
        on(i * peer);
        CUDA_CHECK(cudaMalloc(&d_flags[i], MOST_BLOCKS * sizeof(int)));
        CUDA_CHECK(cudaMemset(d_flags[i], 0, MOST_BLOCKS * sizeof(int)));
        CUDA_CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    exchange<<<blocks, 1, 0, streams[1]>>>(d_flags[1], d_flags[0]);
    on(0);
    CUDA_CHECK(cudaEventCreate(&begin));
    CUDA_CHECK(cudaEventCreate(&end));
    CUDA_CHECK(cudaEventRecord(begin, streams[0]));
    exchange<<<blocks, 1, 0, streams[0]>>>(d_flags[0], d_flags[1]);
    CUDA_CHECK(cudaEventRecord(end, streams[0]));
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaStreamSynchronize(streams[i]));
        CUDA_CHECK(cudaStreamDestroy(streams[i]));
        CUDA_CHECK(cudaFree(d_flags[i]));
    }
    CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
    CUDA_CHECK(cudaEventDestroy(begin));
    CUDA_CHECK(cudaEventDestroy(end));
    return ms * 1e3 / ROUNDS;
}

int main() {
    int count = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    std::printf("one device: %.2f us\n", measure(0, 1));
    if (count < 2) return 0;
    for (int i = 0; i < 2; i++) {
        on(i);
        CUDA_CHECK(cudaDeviceEnablePeerAccess(1 - i, 0));
    }
    on(0);
    std::printf("two devices: %.2f us\n", measure(1, 1));
    std::printf("64 blocks: %.2f us\n", measure(1, MOST_BLOCKS));
    return 0;
}
