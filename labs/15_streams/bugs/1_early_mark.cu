// SPDX-License-Identifier: MIT
// Lab 15, bug hunt 1: a filter in chunks, two slots, a stream that brings chunks in and one that
// filters them and brings them out. The results are right on the simulator. Find the bug with
// `ladder check streams early_mark`, and fix it here.
#include <math.h>
#include <stdio.h>

#include "streams.cuh"

enum { CHUNK = 16, CHUNKS = 6, SLOTS = 2, ELEMS = CHUNK * STREAMS_CHANNELS };

static int run(float *h_x, float *h_y) {
    cudaStream_t in, work;
    cudaEvent_t is_in[SLOTS], is_out[SLOTS];
    float *d_slots, *d_state;
    STREAMS_TRY(cudaStreamCreate(&in));
    STREAMS_TRY(cudaStreamCreate(&work));
    for (int s = 0; s < SLOTS; s++) {
        STREAMS_TRY(cudaEventCreateWithFlags(&is_in[s], cudaEventDisableTiming));
        STREAMS_TRY(cudaEventCreateWithFlags(&is_out[s], cudaEventDisableTiming));
    }
    STREAMS_TRY(cudaMalloc(&d_slots, streams_frame_bytes(SLOTS * CHUNK + 1)));
    d_state = d_slots + SLOTS * ELEMS;
    STREAMS_TRY(streams_filter_begin(d_state, work));
    for (int k = 0; k < CHUNKS; k++) {
        int s = k % SLOTS;
        const float *h_k = h_x + k * ELEMS;
        float *d_k = d_slots + s * ELEMS;
        size_t bytes = streams_frame_bytes(CHUNK);
        if (k >= SLOTS) STREAMS_TRY(cudaStreamWaitEvent(in, is_out[s], 0));
        STREAMS_TRY(cudaEventRecord(is_in[s], in));
        STREAMS_TRY(cudaMemcpyAsync(d_k, h_k, bytes, cudaMemcpyHostToDevice, in));
        STREAMS_TRY(cudaStreamWaitEvent(work, is_in[s], 0));
        STREAMS_TRY(streams_filter(d_k, CHUNK, d_state, work));
        STREAMS_TRY(cudaMemcpyAsync(h_y + k * ELEMS, d_k, bytes, cudaMemcpyDeviceToHost, work));
        STREAMS_TRY(cudaEventRecord(is_out[s], work));
    }
    STREAMS_TRY(cudaDeviceSynchronize());
    for (int s = 0; s < SLOTS; s++) {
        STREAMS_TRY(cudaEventDestroy(is_in[s]));
        STREAMS_TRY(cudaEventDestroy(is_out[s]));
    }
    STREAMS_TRY(cudaStreamDestroy(in));
    STREAMS_TRY(cudaStreamDestroy(work));
    return cudaFree(d_slots);
}

int main() {
    float *h_x, *h_y;
    double y[STREAMS_CHANNELS] = {0};
    int wrong = 0;
    if (cudaMallocHost(&h_x, streams_frame_bytes(2 * CHUNKS * CHUNK)) != cudaSuccess) return 1;
    h_y = h_x + CHUNKS * ELEMS;
    for (int i = 0; i < CHUNKS * ELEMS; i++) h_x[i] = (float)(i * 37 % 101) / 64.0f;
    int code = run(h_x, h_y);
    for (int i = 0; code == 0 && i < CHUNKS * ELEMS; i++) {
        double *state = &y[i % STREAMS_CHANNELS];
        *state += (h_x[i] - *state) / 8;
        wrong += !(fabs(h_y[i] - *state) <= 1e-5);
    }
    if (code != 0)
        printf("CUDA: %s\n", cudaGetErrorString((cudaError_t)code));
    else
        printf("%d results, %d wrong; results %s\n", CHUNKS * ELEMS, wrong,
               wrong ? "WRONG" : "right");
    cudaFreeHost(h_x);
    return code != 0 || wrong != 0;
}
// ladder-skeleton e7002a1a86a68adc (as it was handed out; any change makes this file yours)
