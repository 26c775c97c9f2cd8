// SPDX-License-Identifier: MIT
// Lab 15, step 5: a long kernel in one stream, small questions in another.
//
// Given. The survey has more blocks than the device holds at a time. The first question's kernel
// is behind all that still wait.
#include "streams.cuh"

enum { SURVEY, QUESTIONS, STREAMS };

// The survey's results lie behind the table, behind them the answer.
extern "C" int streams_prepare5(int64_t n, streams_plan *plan) {
    size_t bytes = (STREAMS_TABLE + (size_t)n + STREAMS_QUESTIONS) * sizeof(float);
    STREAMS_TRY(cudaMallocHost(&plan->h_x, STREAMS_TABLE * sizeof(float)));
    STREAMS_TRY(cudaMallocHost(&plan->h_y, bytes));
    for (int i = 0; i < STREAMS; i++) STREAMS_TRY(cudaStreamCreate(&plan->streams[i]));
    return cudaMalloc(&plan->d_memory, bytes);
}

extern "C" int streams_step5(int64_t n, const streams_plan *plan) {
    float *d_table = plan->d_memory, *d_last = d_table + STREAMS_TABLE, *d_answer = d_last + n;
    cudaStream_t survey = plan->streams[SURVEY], questions = plan->streams[QUESTIONS];
    float at = 0;
    STREAMS_TRY(
        cudaMemcpy(d_table, plan->h_x, STREAMS_TABLE * sizeof(float), cudaMemcpyHostToDevice));
    STREAMS_TRY(streams_survey(d_table, n, d_last, survey));
    for (int q = 0; q < STREAMS_QUESTIONS; q++) {
        float *h_answer = plan->h_y + n + q;
        STREAMS_TRY(streams_ask(d_table, at, d_answer, questions));
        STREAMS_TRY(
            cudaMemcpyAsync(h_answer, d_answer, sizeof(float), cudaMemcpyDeviceToHost, questions));
        STREAMS_TRY(cudaStreamSynchronize(questions));
        at = *h_answer;
    }
    STREAMS_TRY(cudaMemcpyAsync(plan->h_y, d_last, (size_t)n * sizeof(float),
                                cudaMemcpyDeviceToHost, survey));
    return cudaStreamSynchronize(survey);
}
