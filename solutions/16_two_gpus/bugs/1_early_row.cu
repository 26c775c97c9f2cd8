// SPDX-License-Identifier: MIT
// Lab 16, bug hunt 1: heat in a rod that two devices share, each with one half and a cell of the
// other's. The cells are right on the simulator. Find the bug with `ladder check two_gpus
// early_row`, and fix it here.
#include <math.h>
#include <stdio.h>

#include "two_gpus.cuh"

enum { HALF = 256, STEPS = 10 };

// d_to: [HALF + 2], of d_from, whose cells 0 and HALF + 1 are the other device's or the rod's ends.
static __global__ void spread(const float *d_from, float *d_to) {
    int i = threadIdx.x + 1;
    d_to[i] = d_from[i] + 0.25f * (d_from[i - 1] - 2 * d_from[i] + d_from[i + 1]);
}

static float *d_rod[2][2]; // by device: what a step reads, and what it writes, in turn
static cudaStream_t streams[2];
static cudaEvent_t sent[2];

// Rank r's outer cell goes to the other rank, which may go on when it is there.
static cudaError_t send(int r, int now) {
    const float *d_at = d_rod[r][now] + (r == 0 ? HALF : 1);
    float *d_far = d_rod[1 - r][now] + (r == 0 ? 0 : HALF + 1);
    TWO_GPUS_TRY(cudaSetDevice(r));
    // SOLUTION BEGIN
    TWO_GPUS_TRY(cudaMemcpyPeerAsync(d_far, 1 - r, d_at, r, sizeof(float), streams[r]));
    return cudaEventRecord(sent[r], streams[r]);
    // SOLUTION STUB: TWO_GPUS_TRY(cudaEventRecord(sent[r], streams[r]));
    // SOLUTION STUB: return cudaMemcpyPeerAsync(d_far, 1 - r, d_at, r, sizeof(float), streams[r]);
}

static cudaError_t run(float *h_rod) {
    for (int r = 0; r < 2; r++) {
        TWO_GPUS_TRY(cudaSetDevice(r));
        TWO_GPUS_TRY(cudaStreamCreateWithFlags(&streams[r], cudaStreamNonBlocking));
        TWO_GPUS_TRY(cudaEventCreateWithFlags(&sent[r], cudaEventDisableTiming));
        for (int k = 0; k < 2; k++) {
            TWO_GPUS_TRY(cudaMalloc(&d_rod[r][k], (HALF + 2) * sizeof(float)));
            TWO_GPUS_TRY(cudaMemcpy(d_rod[r][k], h_rod + r * HALF, (HALF + 2) * sizeof(float),
                                    cudaMemcpyHostToDevice));
        }
        TWO_GPUS_TRY(cudaDeviceSynchronize());
    }
    for (int t = 0; t < STEPS; t++) {
        for (int r = 0; r < 2; r++) {
            TWO_GPUS_TRY(cudaSetDevice(r));
            if (t > 0) TWO_GPUS_TRY(cudaStreamWaitEvent(streams[r], sent[1 - r], 0));
            spread<<<1, HALF, 0, streams[r]>>>(d_rod[r][t % 2], d_rod[r][1 - t % 2]);
            TWO_GPUS_TRY(cudaGetLastError());
        }
        for (int r = 0; r < 2; r++) TWO_GPUS_TRY(send(r, 1 - t % 2));
    }
    for (int r = 0; r < 2; r++) {
        TWO_GPUS_TRY(cudaSetDevice(r));
        TWO_GPUS_TRY(cudaDeviceSynchronize());
        TWO_GPUS_TRY(cudaMemcpy(h_rod + 1 + r * HALF, d_rod[r][STEPS % 2] + 1, HALF * sizeof(float),
                                cudaMemcpyDeviceToHost));
        for (int k = 0; k < 2; k++) TWO_GPUS_TRY(cudaFree(d_rod[r][k]));
        TWO_GPUS_TRY(cudaEventDestroy(sent[r]));
        TWO_GPUS_TRY(cudaStreamDestroy(streams[r]));
    }
    return cudaSuccess;
}

int main() {
    static float h_rod[2 * HALF + 2], want[2][2 * HALF + 2];
    int wrong = 0;
    for (int i = 0; i < 2 * HALF + 2; i++)
        h_rod[i] = want[0][i] = want[1][i] = (float)(i * 37 % 101);
    int code = run(h_rod);
    for (int t = 0; t < STEPS; t++)
        for (int i = 1; i <= 2 * HALF; i++) {
            const float *x = want[t % 2] + i;
            want[1 - t % 2][i] = x[0] + 0.25f * (x[-1] - 2 * x[0] + x[1]);
        }
    for (int i = 1; i <= 2 * HALF; i++) wrong += !(fabsf(h_rod[i] - want[STEPS % 2][i]) <= 1e-3f);
    if (code != 0)
        printf("CUDA: %s\n", cudaGetErrorString((cudaError_t)code));
    else
        printf("%d cells, %d wrong; results %s\n", 2 * HALF, wrong, wrong ? "WRONG" : "right");
    return code != 0 || wrong != 0;
}
