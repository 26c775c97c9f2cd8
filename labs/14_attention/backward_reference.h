// SPDX-License-Identifier: MIT
// The backward pass of attention in double, and how far a result in half may be from it.
#ifndef ATTENTION_BACKWARD_REFERENCE_H
#define ATTENTION_BACKWARD_REFERENCE_H

#include <stdint.h>

#include "error.h"

// One head, in double. Matrices of queries (q, o) are [queries][width], of keys [keys][width].
typedef struct backward_head {
    int64_t queries, keys;
    int width, causal;
    double *q, *k, *v, *d_o;       // inputs
    double *o, *log;               // [queries][width], [queries]: of the forward pass
    double *dq, *dk, *dv;          // the derivatives
    double *far_q, *far_k, *far_v; // how far each element of a result may be away
} backward_head;

// Doubles that the arrays of a head take.
int64_t backward_head_doubles(int64_t queries, int64_t keys, int width);
// Lays all arrays into memory.
void backward_head_lay(backward_head *head, double *memory);
// From the inputs: o and log, the derivatives and their bounds.
kl_status backward_head_solve(backward_head *head, kl_error *err);

#endif
