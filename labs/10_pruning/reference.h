// The reference answer of a case of lab 10 (reference.c), and the problem itself (problem.c). Host
// only.
#pragma once

#include "problem.h"
#include "pruning.h"

pruning_op pruning_case_op(const kl_case *c);
pruning_shape pruning_case_shape(const kl_case *c);

// Bytes of a case's answer: for each output its values and their bounds, in double.
uint64_t pruning_answer_bytes(const kl_case *c);

// inputs as generated; out_answer: [pruning_answer_bytes]. KL_ERROR_MEMORY.
kl_status pruning_answer(const kl_case *c, const void *const *inputs, void *out_answer,
                         kl_error *err);

// Compares all outputs of a case.
void pruning_verify(const kl_case *c, const void *answer, const void *const *outputs,
                    kl_verdict *out_verdict);

extern const kl_problem pruning_problem;
