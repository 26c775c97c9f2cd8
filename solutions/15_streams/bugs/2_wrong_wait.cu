// SPDX-License-Identifier: MIT
// Lab 15, bug hunt 2: while the device works on one chunk, the host adds up what came back of the
// chunk before. The sums are right on the simulator. Find the bug with `ladder check streams
// wrong_wait --host-accesses`, and fix it here.
#include <stdio.h>

#include "streams.cuh"

enum { BLOCK = 256, CHUNK = 64 * BLOCK, CHUNKS = 8, SLOTS = 2 };

// The sum of the squares of a block's elements. d_x: [CHUNK], d_sums: [CHUNK / BLOCK]
__global__ void squares(const int *d_x, int *d_sums) {
    __shared__ int sums[BLOCK];
    int t = threadIdx.x, value = d_x[blockIdx.x * BLOCK + t];
    sums[t] = value * value;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) sums[t] += sums[t + half];
    }
    if (t == 0) d_sums[blockIdx.x] = sums[0];
}

static long add(const int *h_sums) {
    long sum = 0;
    for (int b = 0; b < CHUNK / BLOCK; b++) sum += h_sums[b];
    return sum;
}

// Slots are used in turn, each with a stream of its own. h_sums: [SLOTS][CHUNK / BLOCK]
static int run(const int *h_x, int *h_sums, long *out_sum) {
    cudaStream_t streams[SLOTS];
    int *d_x, *d_sums;
    *out_sum = 0;
    STREAMS_TRY(cudaMalloc(&d_x, SLOTS * CHUNK * sizeof(int)));
    STREAMS_TRY(cudaMalloc(&d_sums, SLOTS * CHUNK / BLOCK * sizeof(int)));
    for (int s = 0; s < SLOTS; s++) STREAMS_TRY(cudaStreamCreate(&streams[s]));
    for (int k = 0; k < CHUNKS; k++) {
        int s = k % SLOTS, before = (k + SLOTS - 1) % SLOTS;
        int *d_slot = d_x + s * CHUNK, *d_out = d_sums + s * CHUNK / BLOCK;
        STREAMS_TRY(cudaMemcpyAsync(d_slot, h_x + k * CHUNK, CHUNK * sizeof(int),
                                    cudaMemcpyHostToDevice, streams[s]));
        squares<<<CHUNK / BLOCK, BLOCK, 0, streams[s]>>>(d_slot, d_out);
        STREAMS_TRY(cudaGetLastError());
        STREAMS_TRY(cudaMemcpyAsync(h_sums + s * CHUNK / BLOCK, d_out, CHUNK / BLOCK * sizeof(int),
                                    cudaMemcpyDeviceToHost, streams[s]));
        if (k == 0) continue;
        STREAMS_TRY(cudaStreamSynchronize(streams[before]));
        *out_sum += add(h_sums + before * CHUNK / BLOCK);
    }
    int last = (CHUNKS - 1) % SLOTS;
    // SOLUTION BEGIN
    STREAMS_TRY(cudaStreamSynchronize(streams[last]));
    // SOLUTION STUB: STREAMS_TRY(cudaStreamSynchronize(streams[CHUNKS % SLOTS]));
    *out_sum += add(h_sums + last * CHUNK / BLOCK);
    for (int s = 0; s < SLOTS; s++) STREAMS_TRY(cudaStreamDestroy(streams[s]));
    STREAMS_TRY(cudaFree(d_sums));
    return cudaFree(d_x);
}

int main() {
    int *h_x, *h_sums;
    long sum = 0, want = 0;
    if (cudaMallocHost(&h_x, CHUNKS * CHUNK * sizeof(int)) != cudaSuccess ||
        cudaMallocHost(&h_sums, SLOTS * CHUNK / BLOCK * sizeof(int)) != cudaSuccess)
        return 1;
    for (int i = 0; i < CHUNKS * CHUNK; i++) h_x[i] = i * 37 % 101;
    int code = run(h_x, h_sums, &sum);
    for (int i = 0; i < CHUNKS * CHUNK; i++) want += (long)h_x[i] * h_x[i];
    if (code != 0)
        printf("CUDA: %s\n", cudaGetErrorString((cudaError_t)code));
    else
        printf("sum %ld, expected %ld; results %s\n", sum, want, sum == want ? "right" : "WRONG");
    cudaFreeHost(h_sums);
    cudaFreeHost(h_x);
    return code != 0 || sum != want;
}
