// SPDX-License-Identifier: MIT
// Given to steps 9 and 10 of lab 09: the gradients of a whole network for one batch, in ten
// kernels. What the layers' steps do one by one is done here with as few launches and as little
// traffic as possible; network_forward.cuh and network_backward.cuh have the kernels.
//
// Everything lies in one piece of device memory (net_memory), so that a CUDA graph of these
// launches can be launched again and again: what changes from batch to batch is read from it, not
// from parameters.
#pragma once

#include "cnn.h"

#include <cuda_runtime.h>

// What changes between launches of the same graph; on the device.
typedef struct net_state {
    float *losses;   // [batches * batch]
    int batch_index; // counted up behind each batch
    float learning_rate, momentum;
} net_state;

// Device pointers. N: images of a batch; layout as in cnn.h.
typedef struct net_memory {
    net_state *state;
    float *parameters, *velocity, *gradient; // [layout.total]
    float *pooled1;                          // [N][filters1][pooled1][pooled1]
    float *pooled2;                          // [N][flat]
    float *hidden;                           // [N][hidden], behind ReLU
    float *delta_logits;                     // [N][10]
    float *delta_hidden;                     // [N][hidden], before ReLU
    float *delta_pooled2;                    // [N][flat]
    float *delta_pooled1;                    // like pooled1
    float *parts1, *parts2;                  // [CNN_PARTS][weights and biases of the convolution]
    uint8_t *where1, *where2;                // like pooled1, pooled2
} net_memory;

#include "network_forward.cuh"

#include "network_backward.cuh"

// Takes the memory apart: cnn_training_bytes bytes from `base`.
static inline net_memory net_memory_at(const cnn_training *t, void *base) {
    cnn_layout l = cnn_layout_of(&t->network);
    int64_t maps1 = t->batch * t->network.filters1 * l.pooled1 * l.pooled1;
    int64_t flat = t->batch * l.flat, hidden = t->batch * t->network.hidden;
    net_memory m;
    char *at = (char *)base;
    struct {
        void **pointer;
        int64_t bytes;
    } all[] = {{(void **)&m.state, sizeof(net_state)},
               {(void **)&m.parameters, 4 * l.total},
               {(void **)&m.velocity, 4 * l.total},
               {(void **)&m.gradient, 4 * l.total},
               {(void **)&m.pooled1, 4 * maps1},
               {(void **)&m.pooled2, 4 * flat},
               {(void **)&m.hidden, 4 * hidden},
               {(void **)&m.delta_logits, 4 * t->batch * CNN_CLASSES},
               {(void **)&m.delta_hidden, 4 * hidden},
               {(void **)&m.delta_pooled2, 4 * flat},
               {(void **)&m.delta_pooled1, 4 * maps1},
               {(void **)&m.parts1, 4 * CNN_PARTS * l.w2},
               {(void **)&m.parts2, 4 * CNN_PARTS * (l.w3 - l.w2)},
               {(void **)&m.where1, maps1},
               {(void **)&m.where2, flat}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        *all[i].pointer = at;
        at += (all[i].bytes + 255) / 256 * 256;
    }
    return m;
}

// Copies parameters and velocity in and sets the state, on the default stream. The caller's
// arguments have been checked (cnn_refuses).
static inline cudaError_t net_begin(const cnn_training *t, const net_memory *m) {
    size_t bytes = sizeof(float) * (size_t)cnn_layout_of(&t->network).total;
    net_state state = {t->d_losses, 0, t->learning_rate, t->momentum};
    cudaMemcpyAsync(m->parameters, t->d_parameters_in, bytes, cudaMemcpyDeviceToDevice, 0);
    cudaMemcpyAsync(m->velocity, t->d_velocity_in, bytes, cudaMemcpyDeviceToDevice, 0);
    return cudaMemcpyAsync(m->state, &state, sizeof state, cudaMemcpyHostToDevice, 0);
}

// Copies parameters and velocity out.
static inline cudaError_t net_end(const cnn_training *t, const net_memory *m) {
    size_t bytes = sizeof(float) * (size_t)cnn_layout_of(&t->network).total;
    cudaMemcpyAsync(t->d_parameters, m->parameters, bytes, cudaMemcpyDeviceToDevice, 0);
    return cudaMemcpyAsync(t->d_velocity, m->velocity, bytes, cudaMemcpyDeviceToDevice, 0);
}

// The kernels of one batch: losses and m->gradient from m->parameters. One after another: the
// gradients of weights could be computed on a second stream while the deltas go on to the layer
// before, but on an H200 these kernels hinder each other, and a batch of 64 images takes 184 us
// instead of 109.
static inline cudaError_t net_gradients(const cnn_training *t, const net_memory *m,
                                        cudaStream_t stream) {
    net_forward(t, m, stream);
    net_loss(t, m, stream);
    net_fc_gradients(t, m, stream);
    net_fc_deltas(t, m, stream);
    net_conv_gradients(t, m, 2, stream);
    net_conv_deltas(t, m, stream);
    net_conv_gradients(t, m, 1, stream);
    net_add_parts(t, m, stream);
    return cudaGetLastError();
}
