// SPDX-License-Identifier: MIT
// Lab 15, step 3: one stream for each way and one for the kernels.
//
// What it fixes: in step 2 a chunk's kernel waits until the chunk before it is out. Now three
// chunks are on their way at once: one comes in, one is filtered, one goes out.
#include "streams.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

enum { IN, COMPUTE, OUT, STREAMS };
enum { SLOTS = 3 };

extern "C" int streams_prepare3(int64_t n, streams_plan *plan) {
    STREAMS_TRY(cudaMallocHost(&plan->h_x, streams_frame_bytes(n)));
    STREAMS_TRY(cudaMallocHost(&plan->h_y, streams_frame_bytes(n)));
    plan->chunk = streams_given_chunk(n);
    for (int i = 0; i < STREAMS; i++) STREAMS_TRY(cudaStreamCreate(&plan->streams[i]));
    return cudaMalloc(&plan->d_memory, streams_frame_bytes(SLOTS * plan->chunk + 1));
}

static int64_t first_frame(const streams_plan *plan, int64_t k) {
    return k * plan->chunk;
}
static int64_t frames_of(int64_t n, const streams_plan *plan, int64_t k) {
    int64_t left = n - first_frame(plan, k);
    return left < plan->chunk ? left : plan->chunk;
}
static float *slot_of(const streams_plan *plan, int64_t k) {
    return plan->d_memory + k % SLOTS * plan->chunk * STREAMS_CHANNELS;
}

// Chunk k in, filtered, or out, in the stream of that stage.
static int put(int64_t n, const streams_plan *plan, int64_t k, int stage) {
    int64_t frames = frames_of(n, plan, k), at = first_frame(plan, k) * STREAMS_CHANNELS;
    float *d_slot = slot_of(plan, k), *d_state = slot_of(plan, 0);
    d_state += SLOTS * plan->chunk * STREAMS_CHANNELS;
    if (stage == COMPUTE) return streams_filter(d_slot, frames, d_state, plan->streams[COMPUTE]);
    if (stage == IN)
        return cudaMemcpyAsync(d_slot, plan->h_x + at, streams_frame_bytes(frames),
                               cudaMemcpyHostToDevice, plan->streams[IN]);
    return cudaMemcpyAsync(plan->h_y + at, d_slot, streams_frame_bytes(frames),
                           cudaMemcpyDeviceToHost, plan->streams[OUT]);
}

extern "C" int streams_step3(int64_t n, const streams_plan *plan) {
    if (!IMPLEMENTED) return STREAMS_NOT_IMPLEMENTED;
    int64_t chunks = (n + plan->chunk - 1) / plan->chunk;
    float *d_state = plan->d_memory + SLOTS * plan->chunk * STREAMS_CHANNELS;
    int code = streams_filter_begin(d_state, plan->streams[COMPUTE]);
    for (int64_t k = 0; k < chunks + 2 && code == 0; k++) {
        // TODO(student): one chunk comes in, the one before it is filtered, the one before that
        // goes out (put). Then wait for all three, so that each moves on.
        // Which of them does not exist in the first and last turns?
    }
    return code;
}
// ladder-skeleton 72cc5473b5207866 (as it was handed out; any change makes this file yours)
