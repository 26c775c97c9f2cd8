// SPDX-License-Identifier: MIT
// Lab 15, bug hunt 3: in each of four streams a kernel adds to bins that were set to 0 before. The
// counts are right on the simulator. Find the bug with `ladder check streams two_kinds`, and fix it
// here.
#include <stdio.h>

#include "streams.cuh"

enum { PARTS = 4, N = 1 << 12, BINS = 64 };

// A thread counts one value. d_x: [N], d_bins: [BINS]
__global__ void count(const int *d_x, int *d_bins) {
    int value = threadIdx.x, found = 0;
    for (int i = 0; i < N; i++) found += d_x[i] == value;
    d_bins[value] += found;
}

// h_x: [PARTS][N], h_bins: [PARTS][BINS]
static int run(const int *h_x, int *h_bins) {
    cudaStream_t streams[PARTS];
    int *d_x, *d_bins;
    STREAMS_TRY(cudaMalloc(&d_x, PARTS * N * sizeof(int)));
    STREAMS_TRY(cudaMalloc(&d_bins, PARTS * BINS * sizeof(int)));
    for (int p = 0; p < PARTS; p++) {
        int *d_part = d_x + p * N, *d_own = d_bins + p * BINS;
        STREAMS_TRY(cudaStreamCreateWithFlags(&streams[p], cudaStreamNonBlocking));
        STREAMS_TRY(cudaMemcpyAsync(d_part, h_x + p * N, N * sizeof(int), cudaMemcpyHostToDevice,
                                    streams[p]));
        STREAMS_TRY(cudaMemset(d_own, 0, BINS * sizeof(int)));
        count<<<1, BINS, 0, streams[p]>>>(d_part, d_own);
        STREAMS_TRY(cudaGetLastError());
        STREAMS_TRY(cudaMemcpyAsync(h_bins + p * BINS, d_own, BINS * sizeof(int),
                                    cudaMemcpyDeviceToHost, streams[p]));
    }
    STREAMS_TRY(cudaDeviceSynchronize());
    for (int p = 0; p < PARTS; p++) STREAMS_TRY(cudaStreamDestroy(streams[p]));
    STREAMS_TRY(cudaFree(d_bins));
    return cudaFree(d_x);
}

int main() {
    int *h_x, *h_bins, want[PARTS][BINS] = {{0}}, wrong = 0;
    if (cudaMallocHost(&h_x, PARTS * N * sizeof(int)) != cudaSuccess ||
        cudaMallocHost(&h_bins, PARTS * BINS * sizeof(int)) != cudaSuccess)
        return 1;
    for (int i = 0; i < PARTS * N; i++) want[i / N][h_x[i] = i * 37 % 101 % BINS]++;
    int code = run(h_x, h_bins);
    for (int i = 0; i < PARTS * BINS; i++) wrong += h_bins[i] != want[i / BINS][i % BINS];
    if (code != 0)
        printf("CUDA: %s\n", cudaGetErrorString((cudaError_t)code));
    else
        printf("%d counts, %d wrong; results %s\n", PARTS * BINS, wrong, wrong ? "WRONG" : "right");
    cudaFreeHost(h_bins);
    cudaFreeHost(h_x);
    return code != 0 || wrong != 0;
}
// ladder-skeleton 3600c6142875f1fb (as it was handed out; any change makes this file yours)
