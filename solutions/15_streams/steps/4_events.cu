// SPDX-License-Identifier: MIT
// Lab 15, step 4: events say what waits for what, and the host waits once.
//
// What it fixes: in step 3 all stages wait for the slowest, and for the host, at each chunk. An
// event lets a stream wait for what it needs, and nothing else.
#include "streams.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

enum { IN, COMPUTE, OUT, STREAMS };
enum { SLOTS = 3 };

extern "C" int streams_prepare4(int64_t n, streams_plan *plan) {
    STREAMS_TRY(cudaMallocHost(&plan->h_x, streams_frame_bytes(n)));
    STREAMS_TRY(cudaMallocHost(&plan->h_y, streams_frame_bytes(n)));
    plan->chunk = streams_given_chunk(n);
    for (int i = 0; i < STREAMS; i++) STREAMS_TRY(cudaStreamCreate(&plan->streams[i]));
    for (int i = 0; i < STREAMS * SLOTS; i++)
        STREAMS_TRY(cudaEventCreateWithFlags(&plan->events[i], cudaEventDisableTiming));
    return cudaMalloc(&plan->d_memory, streams_frame_bytes(SLOTS * plan->chunk + 1));
}

static int64_t frames_of(int64_t n, const streams_plan *plan, int64_t k) {
    int64_t left = n - k * plan->chunk;
    return left < plan->chunk ? left : plan->chunk;
}

// Recorded when a stage has done with the chunk in slot k % SLOTS.
static cudaEvent_t done(const streams_plan *plan, int64_t k, int stage) {
    return plan->events[k % SLOTS * STREAMS + stage];
}

extern "C" int streams_step4(int64_t n, const streams_plan *plan) {
    if (!IMPLEMENTED) return STREAMS_NOT_IMPLEMENTED;
    int64_t slot_elems = plan->chunk * STREAMS_CHANNELS;
    cudaStream_t in = plan->streams[IN], compute = plan->streams[COMPUTE];
    cudaStream_t out = plan->streams[OUT];
    float *d_state = plan->d_memory + SLOTS * slot_elems;
    STREAMS_TRY(streams_filter_begin(d_state, compute));
    for (int64_t k = 0; k * plan->chunk < n; k++) {
        float *d_slot = plan->d_memory + k % SLOTS * slot_elems;
        int64_t frames = frames_of(n, plan, k), at = k * slot_elems;
        size_t bytes = streams_frame_bytes(frames);
        // SOLUTION BEGIN
        if (k >= SLOTS) STREAMS_TRY(cudaStreamWaitEvent(in, done(plan, k, OUT), 0));
        STREAMS_TRY(cudaMemcpyAsync(d_slot, plan->h_x + at, bytes, cudaMemcpyHostToDevice, in));
        STREAMS_TRY(cudaEventRecord(done(plan, k, IN), in));
        STREAMS_TRY(cudaStreamWaitEvent(compute, done(plan, k, IN), 0));
        STREAMS_TRY(streams_filter(d_slot, frames, d_state, compute));
        STREAMS_TRY(cudaEventRecord(done(plan, k, COMPUTE), compute));
        STREAMS_TRY(cudaStreamWaitEvent(out, done(plan, k, COMPUTE), 0));
        STREAMS_TRY(cudaMemcpyAsync(plan->h_y + at, d_slot, bytes, cudaMemcpyDeviceToHost, out));
        STREAMS_TRY(cudaEventRecord(done(plan, k, OUT), out));
        // SOLUTION TODO: the three stages of chunk k, each in its stream. A stage waits for the
        // SOLUTION TODO: event of the stage before, and records its own. And what does the copy
        // SOLUTION TODO: into a slot wait for that was used before?
    }
    return cudaStreamSynchronize(out); // the last event of each stream is before it
}
