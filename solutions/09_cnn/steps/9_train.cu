// SPDX-License-Identifier: MIT
// Lab 09, step 9: training. Gradient descent with momentum, and batch after batch of it.
//
//     v = momentum v + gradient      w = w - learning rate v
//
// network.cuh gives the gradients of a batch. Everything stays on the device: which batch it is,
// too. Why it is slow: twelve launches per batch, each of a few microseconds: a small batch ends
// before the host has launched the next one.
#include "network.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256

// All arrays: [count]. out_w and w, out_v and v may be the same.
__global__ void __launch_bounds__(THREADS)
    descend(int64_t count, const float *w, const float *v, const float *gradient, float *out_w,
            float *out_v, float learning_rate, float momentum) {
    // SOLUTION BEGIN
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    float velocity = momentum * v[i] + gradient[i];
    out_v[i] = velocity;
    out_w[i] = w[i] - learning_rate * velocity;
    // SOLUTION TODO: the two formulas above; the new velocity moves the weight.
}

// The next launches work on the next batch.
__global__ void next_batch(net_state *state) {
    state->batch_index++;
}

static unsigned blocks_for(int64_t count) {
    return (unsigned)((count + THREADS - 1) / THREADS);
}

static int train(const cnn_training *t, void *workspace) {
    net_memory m = net_memory_at(t, workspace);
    int64_t total = cnn_layout_of(&t->network).total;
    cudaError_t code = net_begin(t, &m);
    // SOLUTION BEGIN
    for (int64_t k = 0; k < t->batches && code == cudaSuccess; k++) {
        code = net_gradients(t, &m, 0);
        descend<<<blocks_for(total), THREADS>>>(total, m.parameters, m.velocity, m.gradient,
                                                m.parameters, m.velocity, t->learning_rate,
                                                t->momentum);
        next_batch<<<1, 1>>>(m.state);
    }
    // SOLUTION TODO: for each batch: net_gradients, descend in place on m.parameters and m.velocity
    // SOLUTION TODO: with m.gradient, next_batch.
    return code == cudaSuccess ? net_end(t, &m) : code;
}

extern "C" int cnn_step9(const cnn_task *task) {
    if (!IMPLEMENTED) return CNN_NOT_IMPLEMENTED;
    if (cnn_refuses(task)) return cudaErrorInvalidValue;
    if (task->op == CNN_TRAIN) return train(task->training, task->d_workspace);
    if (task->op != CNN_SGD) return cudaErrorInvalidValue;
    int64_t count = task->shape.channels;
    descend<<<blocks_for(count), THREADS>>>(count, task->d_x, task->d_w, task->d_delta, task->d_y,
                                            task->d_dw, task->learning_rate, task->momentum);
    return cudaGetLastError();
}
