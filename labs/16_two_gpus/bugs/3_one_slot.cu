// SPDX-License-Identifier: MIT
// Lab 16, bug hunt 3: device 0 makes chunks of numbers, device 1 adds them up; between them is one
// slot of device 1's memory. The sum is right on the simulator. Find the bug with `ladder check
// two_gpus one_slot`, and fix it here.
#include <stdio.h>

#include "two_gpus.cuh"

enum { CHUNK = 512, CHUNKS = 6 };

static __global__ void make(int *d_chunk, int k) {
    d_chunk[threadIdx.x] = (k * CHUNK + (int)threadIdx.x) * 37 % 101;
}

static __global__ void add_up(const int *d_slot, int *d_sum) {
    atomicAdd(d_sum, d_slot[threadIdx.x]);
}

static int *d_chunk, *d_slot, *d_sum; // of device 0; of device 1 the others
static cudaStream_t streams[2];
static cudaEvent_t is_made, is_added;

static cudaError_t pass_on(int k) {
    TWO_GPUS_TRY(cudaSetDevice(0));
    make<<<1, CHUNK, 0, streams[0]>>>(d_chunk, k);
    TWO_GPUS_TRY(cudaGetLastError());
    if (k > 0) TWO_GPUS_TRY(cudaStreamWaitEvent(streams[0], is_made, 0));
    TWO_GPUS_TRY(cudaMemcpyPeerAsync(d_slot, 1, d_chunk, 0, CHUNK * sizeof(int), streams[0]));
    TWO_GPUS_TRY(cudaEventRecord(is_made, streams[0]));
    TWO_GPUS_TRY(cudaSetDevice(1));
    TWO_GPUS_TRY(cudaStreamWaitEvent(streams[1], is_made, 0));
    add_up<<<1, CHUNK, 0, streams[1]>>>(d_slot, d_sum);
    TWO_GPUS_TRY(cudaGetLastError());
    return cudaEventRecord(is_added, streams[1]);
}

static cudaError_t run(int *out_sum) {
    for (int r = 0; r < 2; r++) {
        TWO_GPUS_TRY(cudaSetDevice(r));
        TWO_GPUS_TRY(cudaStreamCreateWithFlags(&streams[r], cudaStreamNonBlocking));
        TWO_GPUS_TRY(
            cudaEventCreateWithFlags(r == 0 ? &is_made : &is_added, cudaEventDisableTiming));
        TWO_GPUS_TRY(cudaMalloc(r == 0 ? &d_chunk : &d_slot, CHUNK * sizeof(int)));
    }
    TWO_GPUS_TRY(cudaMalloc(&d_sum, sizeof(int)));
    TWO_GPUS_TRY(cudaMemset(d_sum, 0, sizeof(int)));
    TWO_GPUS_TRY(cudaDeviceSynchronize());
    for (int k = 0; k < CHUNKS; k++) TWO_GPUS_TRY(pass_on(k));
    for (int r = 0; r < 2; r++) {
        TWO_GPUS_TRY(cudaStreamSynchronize(streams[r]));
        TWO_GPUS_TRY(cudaStreamDestroy(streams[r]));
        TWO_GPUS_TRY(cudaEventDestroy(r == 0 ? is_made : is_added));
    }
    TWO_GPUS_TRY(cudaMemcpy(out_sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost));
    TWO_GPUS_TRY(cudaFree(d_chunk));
    TWO_GPUS_TRY(cudaFree(d_slot));
    return cudaFree(d_sum);
}

int main() {
    int sum = 0, want = 0;
    for (int i = 0; i < CHUNKS * CHUNK; i++) want += i * 37 % 101;
    int code = run(&sum);
    if (code != 0)
        printf("CUDA: %s\n", cudaGetErrorString((cudaError_t)code));
    else
        printf("sum %d, expected %d; results %s\n", sum, want, sum == want ? "right" : "WRONG");
    return code != 0 || sum != want;
}
// ladder-skeleton 726952141111f3a8 (as it was handed out; any change makes this file yours)
