// SPDX-License-Identifier: MIT
// Lab 15, step 10: the whole pipeline is one graph, with chunks of the best size.
//
// What it fixes: in step 4 the first chunk in and the last chunk out are hidden by nothing, and the
// host makes nine calls for each chunk. A graph costs the host one call, so that chunks may be
// small; how small, the time that a copy costs beside its bytes says.
#include "streams.cuh"

#include <math.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

enum { IN, COMPUTE, OUT, STREAMS };
enum { SLOTS = 4 };

// Frames of a chunk. With n frames of which each takes t us to copy, and o us that a chunk costs
// beside its bytes, chunks of c frames take about n t + (n / c) o + 2 c t: least at
// c = sqrt(n o / 2 t).
static int64_t best_chunk(int64_t n) {
    double frames = (double)n;
    // SOLUTION BEGIN
    const double frame_us = STREAMS_CHANNELS * sizeof(float) / 50e3; // at 50 GB/s
    const double chunk_us = 3;
    frames = sqrt((double)n * chunk_us / (2 * frame_us));
    // SOLUTION TODO: how many, for frames of STREAMS_CHANNELS floats, 50 GB/s, 3 us per chunk?
    return frames < 1 ? 1 : frames > (double)n ? n : (int64_t)frames;
}

static int64_t frames_of(int64_t n, const streams_plan *plan, int64_t k) {
    int64_t left = n - k * plan->chunk;
    return left < plan->chunk ? left : plan->chunk;
}

static cudaEvent_t done(const streams_plan *plan, int64_t k, int stage) {
    return plan->events[k % SLOTS * STREAMS + stage];
}

// Puts all stages of all chunks into the streams: what begins in stream IN ends in stream IN.
static int put_all(int64_t n, const streams_plan *plan) {
    int64_t slot_elems = plan->chunk * STREAMS_CHANNELS;
    cudaStream_t in = plan->streams[IN], compute = plan->streams[COMPUTE];
    cudaStream_t out = plan->streams[OUT];
    float *d_state = plan->d_memory + SLOTS * slot_elems;
    // SOLUTION BEGIN
    int64_t chunks = (n + plan->chunk - 1) / plan->chunk;
    STREAMS_TRY(streams_filter_begin(d_state, in));
    for (int64_t k = 0; k < chunks; k++) {
        float *d_slot = plan->d_memory + k % SLOTS * slot_elems;
        int64_t frames = frames_of(n, plan, k), at = k * slot_elems;
        size_t bytes = streams_frame_bytes(frames);
        if (k >= SLOTS) STREAMS_TRY(cudaStreamWaitEvent(in, done(plan, k, OUT), 0));
        STREAMS_TRY(cudaMemcpyAsync(d_slot, plan->h_x + at, bytes, cudaMemcpyHostToDevice, in));
        STREAMS_TRY(cudaEventRecord(done(plan, k, IN), in));
        STREAMS_TRY(cudaStreamWaitEvent(compute, done(plan, k, IN), 0));
        STREAMS_TRY(streams_filter(d_slot, frames, d_state, compute));
        STREAMS_TRY(cudaEventRecord(done(plan, k, COMPUTE), compute));
        STREAMS_TRY(cudaStreamWaitEvent(out, done(plan, k, COMPUTE), 0));
        STREAMS_TRY(cudaMemcpyAsync(plan->h_y + at, d_slot, bytes, cudaMemcpyDeviceToHost, out));
        STREAMS_TRY(cudaEventRecord(done(plan, k, OUT), out));
    }
    STREAMS_TRY(cudaStreamWaitEvent(in, done(plan, chunks - 1, OUT), 0));
    // SOLUTION TODO: as in step 4. In a capture the other streams join by waiting for an event of
    // SOLUTION TODO: stream IN; how do they come back to it?
    return cudaSuccess;
}

extern "C" int streams_prepare10(int64_t n, streams_plan *plan) {
    if (!IMPLEMENTED) return STREAMS_NOT_IMPLEMENTED;
    STREAMS_TRY(cudaMallocHost(&plan->h_x, streams_frame_bytes(n)));
    STREAMS_TRY(cudaMallocHost(&plan->h_y, streams_frame_bytes(n)));
    plan->chunk = best_chunk(n);
    for (int i = 0; i < STREAMS; i++) STREAMS_TRY(cudaStreamCreate(&plan->streams[i]));
    for (int i = 0; i < STREAMS * SLOTS; i++)
        STREAMS_TRY(cudaEventCreateWithFlags(&plan->events[i], cudaEventDisableTiming));
    STREAMS_TRY(cudaMalloc(&plan->d_memory, streams_frame_bytes(SLOTS * plan->chunk + 1)));
    // SOLUTION BEGIN
    STREAMS_TRY(cudaStreamBeginCapture(plan->streams[IN], cudaStreamCaptureModeThreadLocal));
    int code = put_all(n, plan);
    STREAMS_TRY(cudaStreamEndCapture(plan->streams[IN], &plan->graph));
    if (code != 0) return code;
    STREAMS_TRY(cudaGraphInstantiateWithFlags(&plan->exec, plan->graph, 0));
    // SOLUTION TODO: capture what put_all() puts into the streams, and make plan->exec of it
    return cudaSuccess;
}

extern "C" int streams_step10(int64_t n, const streams_plan *plan) {
    (void)n; // the graph has it
    // SOLUTION BEGIN
    STREAMS_TRY(cudaGraphLaunch(plan->exec, plan->streams[IN]));
    // SOLUTION TODO: launch the graph
    return cudaStreamSynchronize(plan->streams[IN]);
}
