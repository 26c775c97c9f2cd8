// SPDX-License-Identifier: MIT
// The network as its layers: what goes from one to the next, and what each one does.
#ifndef KL_LAYERS_PICTURE_H
#define KL_LAYERS_PICTURE_H

#include <stdint.h>
#include <stdio.h>

#include "error.h"

// One layer, as a box of the picture.
typedef struct kl_layer_box {
    const char *label;  // what makes this shape, e.g. "conv 5 x 5 + ReLU"; of the first "input"
    const char *detail; // e.g. "156 parameters"; or NULL
    int channels, height, width; // of what comes out, of one image
    int64_t parameters;          // trained values of the layer: weights and biases
} kl_layer_box;

enum { KL_LAYERS_MAX = 64 };

// KL_ERROR_USAGE on no layer, more than KL_LAYERS_MAX, or a side below 1.
kl_status kl_draw_layers(const char *title, const kl_layer_box *boxes, int count, FILE *out,
                         kl_error *err);

#endif
