// SPDX-License-Identifier: MIT
// Lab 16, bug hunt 2: device 0 sorts out which numbers are prime and stores them in the memory of
// device 1, which sums them up block by block, as they come. The sum is right on the simulator.
// Find the bug with `ladder check two_gpus near_fence`, and fix it here.
#include <stdio.h>

#include "two_gpus.cuh"

enum { BLOCK = 128, BLOCKS = 8, N = BLOCK * BLOCKS };

// d_primes: [N], of the other device, d_flags: [BLOCKS] likewise.
static __global__ void sieve(int *d_primes, volatile int *d_flags) {
    int number = blockIdx.x * BLOCK + threadIdx.x;
    bool is_prime = number > 1;
    for (int i = 2; i * i <= number; i++) is_prime = is_prime && number % i != 0;
    d_primes[number] = is_prime ? number : 0;
    __syncthreads();
    if (threadIdx.x != 0) return;
    // SOLUTION BEGIN
    __threadfence_system();
    // SOLUTION STUB: __threadfence();
    d_flags[blockIdx.x] = 1;
}

static __global__ void add_up(const int *d_primes, volatile int *d_flags, int *d_sum) {
    if (threadIdx.x == 0) {
        while (d_flags[blockIdx.x] == 0) continue;
        __threadfence_system();
    }
    __syncthreads();
    atomicAdd(d_sum, d_primes[blockIdx.x * BLOCK + threadIdx.x]);
}

static cudaError_t run(int *out_sum) {
    cudaStream_t streams[2];
    int *d_memory; // of device 1: primes, flags, sum
    for (int r = 1; r >= 0; r--) {
        TWO_GPUS_TRY(cudaSetDevice(r));
        TWO_GPUS_TRY(cudaStreamCreateWithFlags(&streams[r], cudaStreamNonBlocking));
        if (r == 1) TWO_GPUS_TRY(cudaMalloc(&d_memory, (N + BLOCKS + 1) * sizeof(int)));
        if (r == 1) TWO_GPUS_TRY(cudaMemset(d_memory, 0, (N + BLOCKS + 1) * sizeof(int)));
        TWO_GPUS_TRY(cudaDeviceSynchronize());
    }
    int *d_flags = d_memory + N, *d_sum = d_flags + BLOCKS;
    cudaError_t code = cudaDeviceEnablePeerAccess(1, 0);
    if (code != cudaSuccess) return code;
    sieve<<<BLOCKS, BLOCK, 0, streams[0]>>>(d_memory, d_flags);
    TWO_GPUS_TRY(cudaGetLastError());
    TWO_GPUS_TRY(cudaSetDevice(1));
    add_up<<<BLOCKS, BLOCK, 0, streams[1]>>>(d_memory, d_flags, d_sum);
    TWO_GPUS_TRY(cudaGetLastError());
    for (int r = 0; r < 2; r++) {
        TWO_GPUS_TRY(cudaStreamSynchronize(streams[r]));
        TWO_GPUS_TRY(cudaStreamDestroy(streams[r]));
    }
    TWO_GPUS_TRY(cudaMemcpy(out_sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost));
    return cudaFree(d_memory);
}

int main() {
    int sum = 0, want = 0;
    for (int number = 2; number < N; number++) {
        bool is_prime = true;
        for (int i = 2; i * i <= number; i++) is_prime = is_prime && number % i != 0;
        want += is_prime ? number : 0;
    }
    int code = run(&sum);
    if (code != 0)
        printf("CUDA: %s\n", cudaGetErrorString((cudaError_t)code));
    else
        printf("sum %d, expected %d; results %s\n", sum, want, sum == want ? "right" : "WRONG");
    return code != 0 || sum != want;
}
