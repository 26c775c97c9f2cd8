// SPDX-License-Identifier: MIT
// Lab 09, step 10: the same training as a CUDA graph. The launches of a batch are recorded once, in the
// preparation, and then launched together, batch after batch.
//
// What it cures: the host's work per launch; and the graph knows which kernels do not wait for each other:
// the gradients of a layer's weights are computed while the deltas go on to the layer before.
// What it asks for: parameters of kernels are frozen with the graph. What changes from batch to batch or
// from call to call (which batch, learning rate, where the losses go) lies in device memory (net_state).
#include "network.cuh"

// SOLUTION BEGIN
#define IMPLEMENTED 1
// SOLUTION TODO: set this to 1 when you have written the code below
// SOLUTION STUB: #define IMPLEMENTED 0
// SOLUTION END

#define THREADS 128

// As in step 9, with learning rate and momentum from the state. Thread 0 counts the batch: nobody reads
// that number while this kernel runs.
__global__ void __launch_bounds__(THREADS)
    descend(int count, const float *gradient, float *w, float *v, net_state *state) {
    // SOLUTION BEGIN
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i == 0) state->batch_index++;
    if (i >= count) return;
    float velocity = state->momentum * v[i] + gradient[i];
    v[i] = velocity;
    w[i] -= state->learning_rate * velocity;
    // SOLUTION TODO: step 9's formulas, and one thread counts state->batch_index up.
    // SOLUTION END
}

// All that a batch is: recorded, not run, when the stream is being captured.
static cudaError_t launch_batch(const cnn_training *t, const net_memory *m,
                                const net_streams *streams) {
    int total = (int)cnn_layout_of(&t->network).total;
    cudaError_t code = net_gradients(t, m, streams);
    descend<<<(unsigned)((total + THREADS - 1) / THREADS), THREADS, 0, streams->main>>>(
        total, m->gradient, m->parameters, m->velocity, m->state);
    return code == cudaSuccess ? cudaGetLastError() : code;
}

// The graph of a batch, ready to be launched.
static cudaError_t record(const cnn_training *t, const net_memory *m, cudaGraphExec_t *out_graph) {
    net_streams streams;
    cudaGraph_t graph = NULL;
    cudaStreamCreate(&streams.main);
    cudaStreamCreate(&streams.side);
    cudaEventCreateWithFlags(&streams.forked, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&streams.joined, cudaEventDisableTiming);
    // SOLUTION BEGIN
    cudaError_t code = cudaStreamBeginCapture(streams.main, cudaStreamCaptureModeThreadLocal);
    if (code == cudaSuccess) code = launch_batch(t, m, &streams);
    cudaError_t ended = cudaStreamEndCapture(streams.main, &graph);
    if (code == cudaSuccess) code = ended;
    if (code == cudaSuccess) code = cudaGraphInstantiate(out_graph, graph, 0);
    if (graph != NULL) cudaGraphDestroy(graph);
    // SOLUTION TODO: begin the capture of streams.main, call launch_batch, end the capture, instantiate
    // SOLUTION TODO: the graph. Kernels on streams.side are captured with it through the events.
    // SOLUTION STUB: cudaError_t code = cudaErrorNotSupported;
    // SOLUTION STUB: (void)graph;
    // SOLUTION END
    cudaEventDestroy(streams.forked);
    cudaEventDestroy(streams.joined);
    cudaStreamDestroy(streams.main);
    cudaStreamDestroy(streams.side);
    return code;
}

// The graph lives as long as the plan, which is as long as the process: nothing is called at its end.
extern "C" int cnn_prepare10(const cnn_task *task) {
    if (!IMPLEMENTED) return CNN_NOT_IMPLEMENTED;
    if (cnn_refuses(task) || task->op != CNN_TRAIN) return cudaErrorInvalidValue;
    const cnn_training *t = task->training;
    net_memory m = net_memory_at(t, t->d_prepared);
    return record(t, &m, (cudaGraphExec_t *)t->h_plan);
}

extern "C" int cnn_step10(const cnn_task *task) {
    if (!IMPLEMENTED) return CNN_NOT_IMPLEMENTED;
    if (cnn_refuses(task) || task->op != CNN_TRAIN) return cudaErrorInvalidValue;
    const cnn_training *t = task->training;
    net_memory m = net_memory_at(t, t->d_prepared);
    cudaGraphExec_t graph = *(cudaGraphExec_t *)t->h_plan;
    cudaError_t code = net_begin(t, &m);
    // SOLUTION BEGIN
    for (int64_t k = 0; k < t->batches && code == cudaSuccess; k++) code = cudaGraphLaunch(graph, 0);
    // SOLUTION TODO: launch the graph once for each batch, on the default stream.
    // SOLUTION STUB: (void)graph;
    // SOLUTION END
    return code == cudaSuccess ? net_end(t, &m) : code;
}
