// SPDX-License-Identifier: MIT
// Layers with error bounds (bounds.c): each element has its value in double precision and a bound
// of what a computation in float may be off, given such bounds of the inputs.
#ifndef CNN_BOUNDS_H
#define CNN_BOUNDS_H

#include <stdbool.h>

#include "error.h"
#include "layers.h"

// value[i] within error[i]; error NULL: all exact.
typedef struct cnn_values {
    int64_t count;
    double *value, *error;
} cnn_values;

// Which of the five answers `where` are right, as a set of bits.
typedef struct cnn_choices {
    int64_t count;
    uint8_t *allowed;
} cnn_choices;

typedef struct cnn_bounded {
    cnn_op op;
    cnn_shape shape;
    bool exact; // no sum rounds: the bounds of sums are 0 when those of the inputs are
    cnn_values x, w, b, delta;
    const uint8_t *where_in;
    cnn_choices where_set; // CNN_POOL_BACKWARD instead of where_in: what `where` may have been
    const int32_t *labels;
    double learning_rate, momentum;
    cnn_values y, dx, dw, db, losses, delta_out; // written; with room for both arrays
    cnn_choices where;
} cnn_bounded;

// KL_ERROR_MEMORY.
kl_status cnn_bound(const cnn_bounded *layer, kl_error *err);

// Everything of a training: t's pointers are host memory, those that are written are not looked at.
// out_*: room for the elements of cnn_training's arrays.
kl_status cnn_bound_training(const cnn_training *t, cnn_values out_parameters,
                             cnn_values out_velocity, cnn_values out_losses, kl_error *err);

cnn_values cnn_values_new(int64_t count); // zeros; value NULL: no memory
void cnn_values_free(cnn_values *values);

#endif
