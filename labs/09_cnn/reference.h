// SPDX-License-Identifier: MIT
// The reference answer of a case of lab 09 (reference.c), and the problem itself (problem.c).
#ifndef CNN_REFERENCE_H
#define CNN_REFERENCE_H

#include <stdbool.h>

#include "cnn.h"
#include "error.h"
#include "problem.h"

// ---- tensors ------------------------------------------------------------------------------------
// Which tensors an operation of cnn.h reads and writes, in which order they are buffers of a call,
// and how large they are. For problem.c, call.c and the training program.

typedef enum cnn_tensor {
    CNN_X,
    CNN_W,
    CNN_B,
    CNN_DELTA,
    CNN_WHERE_IN,
    CNN_LABELS,
    CNN_Y, // written, from here on
    CNN_DX,
    CNN_DW,
    CNN_DB,
    CNN_WHERE,
    CNN_LOSSES,
    CNN_DELTA_OUT,
    CNN_TENSORS
} cnn_tensor;

#define CNN_BIT(tensor) (1u << (tensor))

// The tensors of an operation, as a set of bits; of CNN_TRAIN, which has its own, none.
static inline unsigned cnn_tensors_of(cnn_op op) {
    static const unsigned sets[CNN_OPS] = {
        [CNN_FC_FORWARD] = CNN_BIT(CNN_X) | CNN_BIT(CNN_W) | CNN_BIT(CNN_B) | CNN_BIT(CNN_Y),
        [CNN_FC_BACKWARD] = CNN_BIT(CNN_X) | CNN_BIT(CNN_W) | CNN_BIT(CNN_DELTA) | CNN_BIT(CNN_DX) |
                            CNN_BIT(CNN_DW) | CNN_BIT(CNN_DB),
        [CNN_RELU_FORWARD] = CNN_BIT(CNN_X) | CNN_BIT(CNN_Y),
        [CNN_RELU_BACKWARD] = CNN_BIT(CNN_X) | CNN_BIT(CNN_DELTA) | CNN_BIT(CNN_DX),
        [CNN_POOL_FORWARD] = CNN_BIT(CNN_X) | CNN_BIT(CNN_Y) | CNN_BIT(CNN_WHERE),
        [CNN_POOL_BACKWARD] = CNN_BIT(CNN_DELTA) | CNN_BIT(CNN_WHERE_IN) | CNN_BIT(CNN_DX),
        [CNN_LOSS] =
            CNN_BIT(CNN_X) | CNN_BIT(CNN_LABELS) | CNN_BIT(CNN_LOSSES) | CNN_BIT(CNN_DELTA_OUT),
        [CNN_CONV_FORWARD] = CNN_BIT(CNN_X) | CNN_BIT(CNN_W) | CNN_BIT(CNN_B) | CNN_BIT(CNN_Y),
        [CNN_CONV_BACKWARD] = CNN_BIT(CNN_X) | CNN_BIT(CNN_W) | CNN_BIT(CNN_DELTA) |
                              CNN_BIT(CNN_DX) | CNN_BIT(CNN_DW) | CNN_BIT(CNN_DB),
        [CNN_CONV_POOL] =
            CNN_BIT(CNN_X) | CNN_BIT(CNN_W) | CNN_BIT(CNN_B) | CNN_BIT(CNN_Y) | CNN_BIT(CNN_WHERE),
        [CNN_SGD] =
            CNN_BIT(CNN_X) | CNN_BIT(CNN_W) | CNN_BIT(CNN_DELTA) | CNN_BIT(CNN_Y) | CNN_BIT(CNN_DW),
    };
    return op >= 0 && op < CNN_OPS ? sets[op] : 0u;
}

static inline int cnn_is_conv(cnn_op op) {
    return op == CNN_CONV_FORWARD || op == CNN_CONV_BACKWARD || op == CNN_CONV_POOL;
}

// Elements of the layer's output, and of its input, for one image.
static inline int64_t cnn_elems_in(cnn_op op, const cnn_shape *s) {
    int maps = cnn_is_conv(op) || op == CNN_POOL_FORWARD || op == CNN_POOL_BACKWARD;
    return maps ? s->channels * s->height * s->width : s->channels;
}

static inline int64_t cnn_elems_out(cnn_op op, const cnn_shape *s) {
    int64_t height = cnn_is_conv(op) ? cnn_conv_out(s->height) : s->height;
    int64_t width = cnn_is_conv(op) ? cnn_conv_out(s->width) : s->width;
    int64_t windows = (height / CNN_WINDOW) * (width / CNN_WINDOW);
    switch (op) {
    case CNN_FC_FORWARD:
    case CNN_FC_BACKWARD: return s->filters;
    case CNN_POOL_FORWARD:
    case CNN_POOL_BACKWARD: return s->channels * windows;
    case CNN_CONV_FORWARD:
    case CNN_CONV_BACKWARD: return s->filters * height * width;
    case CNN_CONV_POOL: return s->filters * windows;
    default: return s->channels;
    }
}

// Elements of a tensor; 0 when the operation does not have it.
static inline int64_t cnn_tensor_elems(cnn_op op, cnn_tensor tensor, const cnn_shape *s) {
    int64_t n = s->images, weights = s->channels * s->filters;
    if (!(cnn_tensors_of(op) & CNN_BIT(tensor))) return 0;
    if (op == CNN_SGD) return s->channels;
    switch (tensor) {
    case CNN_X:
    case CNN_DX: return n * cnn_elems_in(op, s);
    case CNN_W:
    case CNN_DW: return cnn_is_conv(op) ? weights * CNN_TAPS : weights;
    case CNN_B:
    case CNN_DB: return s->filters;
    case CNN_DELTA:
    case CNN_WHERE_IN:
    case CNN_Y:
    case CNN_WHERE:
    case CNN_DELTA_OUT: return n * cnn_elems_out(op, s);
    case CNN_LABELS:
    case CNN_LOSSES: return n;
    case CNN_TENSORS: break;
    }
    return 0;
}

// ---- layers.c -----------------------------------------------------------------------------------
// The layers of lab 09 in double precision (layers.c): the readable reference. What the kernels do
// in float, these do in double, with the shapes of cnn.h. The bounds of bounds.c are made with
// them, the gradient test checks them against finite differences, and the training program runs
// with them what a student has not written yet.

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

// ---- inputs.c -----------------------------------------------------------------------------------
// Inputs of the cases of lab 09 (inputs.c): functions of the case's seed.

typedef enum cnn_numbers {
    CNN_INTEGERS, // -8 .. 8: sums are exact
    CNN_REALS,    // [-1, 1)
    CNN_TIES,     // integers -3 .. 3, and NaN among the inputs of a forward operation
    CNN_LOGITS,   // [-8, 8)
    CNN_LARGE     // [-500, 500), a row in four of equal elements
} cnn_numbers;

// Weights and biases that a training begins with: uniform within 1 / sqrt(inputs of an output).
// w: [cnn_layout.total].
void cnn_make_parameters(const cnn_network *net, uint64_t seed, float *w);

void cnn_make_layer(const kl_case *c, cnn_numbers numbers, void *const *inputs);
void cnn_make_training(const kl_case *c, void *const *inputs);

// ---- bounds.c -----------------------------------------------------------------------------------
// Layers with error bounds (bounds.c): each element has its value in double precision and a bound
// of what a computation in float may be off, given such bounds of the inputs.

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

// ---- reference.c --------------------------------------------------------------------------------

// Bytes of a case's answer: for each output its values and their bounds, in double; of `where` the
// sets of allowed choices.
uint64_t cnn_answer_bytes(const kl_case *c);

// inputs as generated; out_answer: [cnn_answer_bytes]. KL_ERROR_MEMORY.
kl_status cnn_answer(const kl_case *c, bool exact, const void *const *inputs, void *out_answer,
                     kl_error *err);

// Compares all outputs of a case.
void cnn_verify(const kl_case *c, const void *answer, const void *const *outputs,
                kl_verdict *out_verdict);

cnn_shape cnn_case_shape(const kl_case *c);
cnn_network cnn_case_network(const kl_case *c);

extern const kl_problem cnn_problem;

#endif
