// The reference answer of a case of lab 09 (reference.c), and the problem itself (problem.c).
#pragma once

#include "cnn.h"
#include "error.h"
#include "problem.h"
#include "tensors.h"

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
