// SPDX-License-Identifier: MIT
// The layers of lab 09 in double precision (layers.c): the readable reference. What the kernels do
// in float, these do in double, with the shapes of cnn.h. The bounds of bounds.c are made with
// them, the gradient test checks them against finite differences, and the training program runs
// with them what a student has not written yet.
#ifndef CNN_LAYERS_H
#define CNN_LAYERS_H

#include "cnn.h"

// Arrays of a layer; those that a function does not name are not touched and may be NULL.
typedef struct cnn_arrays {
    cnn_shape shape;
    const double *x, *w, *b, *delta;
    const uint8_t *where_in;
    const int32_t *labels;
    double *y, *dx, *dw, *db;
    uint8_t *where;
    double *losses, *delta_out;
} cnn_arrays;

typedef void cnn_layer(const cnn_arrays *a);

cnn_layer cnn_fc_forward, cnn_fc_backward;     // sums of products
cnn_layer cnn_conv_forward, cnn_conv_backward; // sums of products
cnn_layer cnn_relu_forward, cnn_relu_backward; // x [N][C]; y as x in the backward
cnn_layer cnn_pool_forward, cnn_pool_backward; // with ReLU
cnn_layer cnn_loss;

#endif
