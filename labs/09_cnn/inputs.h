// SPDX-License-Identifier: MIT
// Inputs of the cases of lab 09 (inputs.c): functions of the case's seed.
#ifndef CNN_INPUTS_H
#define CNN_INPUTS_H

#include "cnn.h"
#include "problem.h"

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

#endif
