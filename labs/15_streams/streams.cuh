// SPDX-License-Identifier: MIT
// Given to all steps of lab 15: the kernels and how each is launched.
#pragma once

#include "streams.h"

#include <cuda_runtime.h>

// Leaves the function with the code of a call that fails.
#define STREAMS_TRY(call)                                                                          \
    do {                                                                                           \
        cudaError_t streams_code = (call);                                                         \
        if (streams_code != cudaSuccess) return streams_code;                                      \
    } while (0)

// ---- the filter ---------------------------------------------------------------------------------

// One thread per channel goes through the frames of a chunk: each needs the one before. d_xy:
// [frames][STREAMS_CHANNELS], of which each sample is replaced. d_state: [STREAMS_CHANNELS], the
// last output before the chunk; that of the chunk when it is done.
static __global__ void streams_filter_kernel(float *d_xy, int64_t frames, float *d_state) {
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    float y = d_state[channel];
#pragma unroll 2
    for (int64_t f = 0; f < frames; f++) {
        float *d_sample = d_xy + f * STREAMS_CHANNELS + channel;
        y = fmaf(0.125f, *d_sample - y, y);
        *d_sample = y;
    }
    d_state[channel] = y;
}

// The state before the first frame.
static inline cudaError_t streams_filter_begin(float *d_state, cudaStream_t stream) {
    return cudaMemsetAsync(d_state, 0, STREAMS_CHANNELS * sizeof(float), stream);
}

static inline cudaError_t streams_filter(float *d_xy, int64_t frames, float *d_state,
                                         cudaStream_t stream) {
    streams_filter_kernel<<<STREAMS_CHANNELS / 128, 128, 0, stream>>>(d_xy, frames, d_state);
    return cudaGetLastError();
}

// ---- the survey and the questions ---------------------------------------------------------------

// From one entry to the next, past the L1 cache.
static __device__ __forceinline__ float streams_walk(const float *d_table, float at, int entries) {
    for (int i = 0; i < entries; i++) at = __ldcg(d_table + (int)at);
    return at;
}

// A block walks through STREAMS_WALK entries. d_table: [STREAMS_TABLE], d_last: [blocks].
static __global__ void streams_survey_kernel(const float *d_table, float *d_last) {
    d_last[blockIdx.x] = streams_walk(d_table, (float)(blockIdx.x % STREAMS_TABLE), STREAMS_WALK);
}

static __global__ void streams_ask_kernel(const float *d_table, float at, float *d_answer) {
    *d_answer = streams_walk(d_table, at, STREAMS_ASKED);
}

// A block takes the shared memory of a whole SM, so that the survey fills the device for long.
static inline cudaError_t streams_survey(const float *d_table, int64_t blocks, float *d_last,
                                         cudaStream_t stream) {
    int device = 0, bytes = 0;
    STREAMS_TRY(cudaGetDevice(&device));
    STREAMS_TRY(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    STREAMS_TRY(cudaFuncSetAttribute(streams_survey_kernel,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    streams_survey_kernel<<<(unsigned)blocks, 1, bytes, stream>>>(d_table, d_last);
    return cudaGetLastError();
}

// *d_answer becomes the entry STREAMS_ASKED after `at`.
static inline cudaError_t streams_ask(const float *d_table, float at, float *d_answer,
                                      cudaStream_t stream) {
    streams_ask_kernel<<<1, 1, 0, stream>>>(d_table, at, d_answer);
    return cudaGetLastError();
}

// ---- the ring -----------------------------------------------------------------------------------

static __global__ void streams_disturb_kernel(float *d_field, float value) {
    d_field[0] = value;
}

static __global__ void streams_smooth_kernel(const float *d_from, float *d_to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float left = d_from[(i + STREAMS_FIELD - 1) % STREAMS_FIELD];
    float right = d_from[(i + 1) % STREAMS_FIELD];
    d_to[i] = 0.25f * (left + right) + 0.5f * d_from[i];
}

// d_field: [STREAMS_FIELD]; its cell 0 becomes `value`.
static inline cudaError_t streams_disturb(float *d_field, float value, cudaStream_t stream) {
    streams_disturb_kernel<<<1, 1, 0, stream>>>(d_field, value);
    return cudaGetLastError();
}

// All smoothings of a round, one launch each. d_field, d_other: [STREAMS_FIELD]; the result is in
// d_field.
static inline cudaError_t streams_smooth(float *d_field, float *d_other, cudaStream_t stream) {
    for (int i = 0; i < STREAMS_SMOOTHINGS; i++) {
        const float *d_from = i % 2 == 0 ? d_field : d_other;
        float *d_to = i % 2 == 0 ? d_other : d_field;
        streams_smooth_kernel<<<STREAMS_FIELD / 256, 256, 0, stream>>>(d_from, d_to);
        STREAMS_TRY(cudaGetLastError());
    }
    return cudaSuccess;
}
