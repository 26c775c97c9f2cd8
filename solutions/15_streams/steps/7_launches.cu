// SPDX-License-Identifier: MIT
// Lab 15, step 7: many small kernels, each launched by the host.
//
// Given. A kernel of the ring takes less time than its launch.
#include "streams.cuh"

// Two rings: a smoothing reads one and writes the other.
extern "C" int streams_prepare7(int64_t n, streams_plan *plan) {
    STREAMS_TRY(cudaMallocHost(&plan->h_x, (size_t)n * sizeof(float)));
    STREAMS_TRY(cudaMallocHost(&plan->h_y, STREAMS_FIELD * sizeof(float)));
    STREAMS_TRY(cudaStreamCreate(&plan->streams[0]));
    return cudaMalloc(&plan->d_memory, 2 * STREAMS_FIELD * sizeof(float));
}

extern "C" int streams_step7(int64_t n, const streams_plan *plan) {
    float *d_field = plan->d_memory, *d_other = d_field + STREAMS_FIELD;
    const size_t bytes = STREAMS_FIELD * sizeof(float);
    cudaStream_t stream = plan->streams[0];
    STREAMS_TRY(cudaMemsetAsync(d_field, 0, bytes, stream));
    for (int64_t r = 0; r < n; r++) {
        STREAMS_TRY(streams_disturb(d_field, plan->h_x[r], stream));
        STREAMS_TRY(streams_smooth(d_field, d_other, stream));
    }
    STREAMS_TRY(cudaMemcpyAsync(plan->h_y, d_field, bytes, cudaMemcpyDeviceToHost, stream));
    return cudaStreamSynchronize(stream);
}
