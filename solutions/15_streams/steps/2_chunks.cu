// SPDX-License-Identifier: MIT
// Lab 15, step 2: chunks, in turn in two streams.
//
// What it fixes: while the kernel runs, both copy engines rest. Now a chunk is copied in while the
// one before it is filtered and copied out. Device memory for two chunks is enough.
#include "streams.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

enum { SLOTS = 2 }; // a chunk and a stream each

extern "C" int streams_prepare2(int64_t n, streams_plan *plan) {
    STREAMS_TRY(cudaMallocHost(&plan->h_x, streams_frame_bytes(n)));
    STREAMS_TRY(cudaMallocHost(&plan->h_y, streams_frame_bytes(n)));
    plan->chunk = streams_given_chunk(n);
    for (int i = 0; i < SLOTS; i++) STREAMS_TRY(cudaStreamCreate(&plan->streams[i]));
    return cudaMalloc(&plan->d_memory, streams_frame_bytes(SLOTS * plan->chunk + 1));
}

// Chunk k begins with this frame and has so many; the last one may have fewer.
static int64_t first_frame(const streams_plan *plan, int64_t k) {
    return k * plan->chunk;
}
static int64_t frames_of(int64_t n, const streams_plan *plan, int64_t k) {
    int64_t left = n - first_frame(plan, k);
    return left < plan->chunk ? left : plan->chunk;
}

extern "C" int streams_step2(int64_t n, const streams_plan *plan) {
    if (!IMPLEMENTED) return STREAMS_NOT_IMPLEMENTED;
    int64_t slot_elems = plan->chunk * STREAMS_CHANNELS;
    float *d_state = plan->d_memory + SLOTS * slot_elems;
    STREAMS_TRY(streams_filter_begin(d_state, plan->streams[0]));
    for (int64_t k = 0; first_frame(plan, k) < n; k++) {
        // SOLUTION BEGIN
        int64_t frames = frames_of(n, plan, k), at = first_frame(plan, k) * STREAMS_CHANNELS;
        float *d_slot = plan->d_memory + k % SLOTS * slot_elems;
        cudaStream_t stream = plan->streams[k % SLOTS], other = plan->streams[(k + 1) % SLOTS];
        STREAMS_TRY(cudaMemcpyAsync(d_slot, plan->h_x + at, streams_frame_bytes(frames),
                                    cudaMemcpyHostToDevice, stream));
        STREAMS_TRY(cudaStreamSynchronize(other)); // the chunk before has left its state
        STREAMS_TRY(streams_filter(d_slot, frames, d_state, stream));
        STREAMS_TRY(cudaMemcpyAsync(plan->h_y + at, d_slot, streams_frame_bytes(frames),
                                    cudaMemcpyDeviceToHost, stream));
        // SOLUTION TODO: copy chunk k in, filter it and copy it out, in stream k % SLOTS and in
        // SOLUTION TODO: slot k % SLOTS of plan->d_memory. When may its kernel begin, which needs
        // SOLUTION TODO: the state that chunk k - 1 leaves? What may run before that?
    }
    for (int i = 0; i < SLOTS; i++) STREAMS_TRY(cudaStreamSynchronize(plan->streams[i]));
    return cudaSuccess;
}
