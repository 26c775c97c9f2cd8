// SPDX-License-Identifier: MIT
// Lab 15, step 9: the whole round is a graph, one of whose parameters changes.
//
// What it fixes: the kernel that disturbs the ring is launched apart, because its argument is
// another in each round. An executable graph takes new arguments without being made anew.
#include "streams.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

// The first node of plan->graph, which has no node before it.
static cudaError_t find_first(streams_plan *plan) {
    size_t count = 1;
    return cudaGraphGetRootNodes(plan->graph, &plan->node, &count);
}

extern "C" int streams_prepare9(int64_t n, streams_plan *plan) {
    if (!IMPLEMENTED) return STREAMS_NOT_IMPLEMENTED;
    STREAMS_TRY(cudaMallocHost(&plan->h_x, (size_t)n * sizeof(float)));
    STREAMS_TRY(cudaMallocHost(&plan->h_y, STREAMS_FIELD * sizeof(float)));
    STREAMS_TRY(cudaStreamCreate(&plan->streams[0]));
    STREAMS_TRY(cudaMalloc(&plan->d_memory, 2 * STREAMS_FIELD * sizeof(float)));
    float *d_field = plan->d_memory, *d_other = d_field + STREAMS_FIELD;
    cudaStream_t stream = plan->streams[0];
    STREAMS_TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    STREAMS_TRY(streams_disturb(d_field, 0, stream));
    STREAMS_TRY(streams_smooth(d_field, d_other, stream));
    STREAMS_TRY(cudaStreamEndCapture(stream, &plan->graph));
    STREAMS_TRY(find_first(plan));
    return cudaGraphInstantiateWithFlags(&plan->exec, plan->graph, 0);
}

extern "C" int streams_step9(int64_t n, const streams_plan *plan) {
    float *d_field = plan->d_memory, value = 0;
    const size_t bytes = STREAMS_FIELD * sizeof(float);
    cudaStream_t stream = plan->streams[0];
    void *arguments[] = {&d_field, &value};
    cudaKernelNodeParams disturb = {0};
    disturb.func = (void *)streams_disturb_kernel;
    disturb.gridDim = disturb.blockDim = dim3(1);
    disturb.kernelParams = arguments;
    STREAMS_TRY(cudaMemsetAsync(d_field, 0, bytes, stream));
    for (int64_t r = 0; r < n; r++) {
        value = plan->h_x[r];
        // SOLUTION BEGIN
        STREAMS_TRY(cudaGraphExecKernelNodeSetParams(plan->exec, plan->node, &disturb));
        STREAMS_TRY(cudaGraphLaunch(plan->exec, stream));
        // SOLUTION TODO: give the node plan->node of plan->exec the arguments in `disturb`, and
        // SOLUTION TODO: launch the graph. Why need nobody wait before the next round's update?
    }
    STREAMS_TRY(cudaMemcpyAsync(plan->h_y, d_field, bytes, cudaMemcpyDeviceToHost, stream));
    return cudaStreamSynchronize(stream);
}
