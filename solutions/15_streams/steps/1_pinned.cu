// SPDX-License-Identifier: MIT
// Lab 15, step 1: the same with page-locked memory.
//
// What it fixes: a copy of ordinary memory goes through the driver's buffer. The copy engine reads
// page-locked memory itself, at the rate of the link.
#include "streams.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

extern "C" int streams_prepare1(int64_t n, streams_plan *plan) {
    if (!IMPLEMENTED) return STREAMS_NOT_IMPLEMENTED;
    // SOLUTION BEGIN
    STREAMS_TRY(cudaMallocHost(&plan->h_x, streams_frame_bytes(n)));
    STREAMS_TRY(cudaMallocHost(&plan->h_y, streams_frame_bytes(n)));
    // SOLUTION TODO: x and y lie in memory from malloc() as long as plan->h_x and plan->h_y stay
    // SOLUTION TODO: NULL. Which call gives memory whose pages stay where they are?
    return cudaMalloc(&plan->d_memory, streams_frame_bytes(n + 1));
}

extern "C" int streams_step1(int64_t n, const streams_plan *plan) {
    float *d_xy = plan->d_memory, *d_state = d_xy + n * STREAMS_CHANNELS;
    STREAMS_TRY(cudaMemcpy(d_xy, plan->h_x, streams_frame_bytes(n), cudaMemcpyHostToDevice));
    STREAMS_TRY(streams_filter_begin(d_state, 0));
    STREAMS_TRY(streams_filter(d_xy, n, d_state, 0));
    return cudaMemcpy(plan->h_y, d_xy, streams_frame_bytes(n), cudaMemcpyDeviceToHost);
}
