// SPDX-License-Identifier: MIT
// The limit of lab 15's pipeline, for the --vendor row: all bytes in and all bytes out at once
// beside a kernel over all frames, none of which waits for another, then a first chunk in and a
// last chunk out alone. No program is faster that brings every frame in, filters it and brings it
// out in such chunks.
//
// Its y is that of the call before, on the same x: so the first call makes y in turn.
#include "streams.cuh"

enum { IN, COMPUTE, OUT, STREAMS };

// Device memory: x, the y that is copied out, frames that only the kernel sees, the state.
extern "C" int streams_vendor_prepare(int64_t n, streams_plan *plan) {
    STREAMS_TRY(cudaMallocHost(&plan->h_x, streams_frame_bytes(n)));
    STREAMS_TRY(cudaMallocHost(&plan->h_y, streams_frame_bytes(n)));
    for (int i = 0; i < STREAMS; i++)
        STREAMS_TRY(cudaStreamCreateWithFlags(&plan->streams[i], cudaStreamNonBlocking));
    STREAMS_TRY(cudaMalloc(&plan->d_memory, streams_frame_bytes(3 * n + 1)));
    return cudaMemset(plan->d_memory, 0, streams_frame_bytes(3 * n + 1));
}

static int first_call(int64_t n, const streams_plan *plan) {
    float *d_y = plan->d_memory + n * STREAMS_CHANNELS, *d_state = d_y + 2 * n * STREAMS_CHANNELS;
    STREAMS_TRY(cudaMemcpy(d_y, plan->h_x, streams_frame_bytes(n), cudaMemcpyHostToDevice));
    STREAMS_TRY(streams_filter(d_y, n, d_state, 0));
    STREAMS_TRY(cudaMemcpy(plan->h_y, d_y, streams_frame_bytes(n), cudaMemcpyDeviceToHost));
    *(int64_t *)&plan->chunk = (n + 127) / 128;
    return cudaSuccess;
}

extern "C" int streams_vendor(int64_t n, const streams_plan *plan) {
    float *d_x = plan->d_memory, *d_y = d_x + n * STREAMS_CHANNELS;
    float *d_work = d_y + n * STREAMS_CHANNELS, *d_state = d_work + n * STREAMS_CHANNELS;
    if (plan->chunk == 0) return first_call(n, plan);
    size_t all = streams_frame_bytes(n), chunk = streams_frame_bytes(plan->chunk);
    cudaStream_t in = plan->streams[IN], out = plan->streams[OUT];
    STREAMS_TRY(cudaMemcpyAsync(d_x, plan->h_x, all, cudaMemcpyHostToDevice, in));
    STREAMS_TRY(cudaMemcpyAsync(plan->h_y, d_y, all, cudaMemcpyDeviceToHost, out));
    STREAMS_TRY(streams_filter(d_work, n, d_state, plan->streams[COMPUTE]));
    for (int i = 0; i < STREAMS; i++) STREAMS_TRY(cudaStreamSynchronize(plan->streams[i]));
    STREAMS_TRY(cudaMemcpyAsync(d_x, plan->h_x, chunk, cudaMemcpyHostToDevice, in));
    STREAMS_TRY(cudaStreamSynchronize(in));
    STREAMS_TRY(cudaMemcpyAsync(plan->h_y, d_y, chunk, cudaMemcpyDeviceToHost, in));
    return cudaStreamSynchronize(in);
}
