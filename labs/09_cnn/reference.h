// SPDX-License-Identifier: MIT
// The reference answer of a case of lab 09 (reference.c), and the problem itself (problem.c).
#ifndef CNN_REFERENCE_H
#define CNN_REFERENCE_H

#include "bounds.h"
#include "problem.h"

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
