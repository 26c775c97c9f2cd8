// SPDX-License-Identifier: MIT
// Lab 09, step 10: the same training as a CUDA graph. The launches of a batch are recorded once, in
// the preparation, and then launched together, batch after batch.
//
// What it fixes: the host's work per launch, and the pause between two kernels. One launch less:
// the kernel that descends counts the batch, too. What it asks for: parameters of kernels are
// frozen with the graph. What changes from batch to batch or from call to call (which batch,
// learning rate, where the losses go) lies in device memory (net_state).
#include "network.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 128

// As in step 9, with learning rate and momentum from the state. Thread 0 counts the batch: nobody
// reads that number while this kernel runs.
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
}

// All that a batch is: recorded, not run, when the stream is being captured.
static cudaError_t launch_batch(const cnn_training *t, const net_memory *m, cudaStream_t stream) {
    int total = (int)cnn_layout_of(&t->network).total;
    cudaError_t code = net_gradients(t, m, stream);
    descend<<<(unsigned)((total + THREADS - 1) / THREADS), THREADS, 0, stream>>>(
        total, m->gradient, m->parameters, m->velocity, m->state);
    return code == cudaSuccess ? cudaGetLastError() : code;
}

// The graph of a batch, and the same ready to be launched.
static cudaError_t record(const cnn_training *t, const net_memory *m, cnn_plan *plan) {
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t launchable = NULL;
    cudaError_t code = cudaStreamCreate(&stream);
    if (code != cudaSuccess) return code;
    // SOLUTION BEGIN
    code = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (code == cudaSuccess) code = launch_batch(t, m, stream);
    cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    if (code == cudaSuccess) code = ended;
    if (code == cudaSuccess) code = cudaGraphInstantiateWithFlags(&launchable, graph, 0);
    // SOLUTION TODO: begin the capture of the stream, call launch_batch, end the capture,
    // SOLUTION TODO: instantiate the graph.
    plan->graph = graph;
    plan->launchable = launchable;
    cudaStreamDestroy(stream);
    return code;
}

extern "C" int cnn_prepare10(const cnn_task *task) {
    if (!IMPLEMENTED) return CNN_NOT_IMPLEMENTED;
    if (cnn_refuses(task) || task->op != CNN_TRAIN) return cudaErrorInvalidValue;
    const cnn_training *t = task->training;
    net_memory m = net_memory_at(t, t->d_prepared);
    return record(t, &m, (cnn_plan *)t->h_plan);
}

extern "C" int cnn_step10(const cnn_task *task) {
    if (!IMPLEMENTED) return CNN_NOT_IMPLEMENTED;
    if (cnn_refuses(task) || task->op != CNN_TRAIN) return cudaErrorInvalidValue;
    const cnn_training *t = task->training;
    net_memory m = net_memory_at(t, t->d_prepared);
    cudaGraphExec_t graph = (cudaGraphExec_t)((cnn_plan *)t->h_plan)->launchable;
    cudaError_t code = net_begin(t, &m);
    // SOLUTION BEGIN
    for (int64_t k = 0; k < t->batches && code == cudaSuccess; k++)
        code = cudaGraphLaunch(graph, 0);
    // SOLUTION TODO: launch the graph once for each batch, on the default stream.
    // SOLUTION STUB: (void)graph;
    return code == cudaSuccess ? net_end(t, &m) : code;
}
