// SPDX-License-Identifier: MIT
// Inputs that the runner holds (on a GPU, and of host functions), after its calls: copied back and
// compared with the judge's own. On the simulator the judge reads them itself (case_buffers.h).
#ifndef LADDER_JUDGE_RETURNED_INPUTS_H
#define LADDER_JUDGE_RETURNED_INPUTS_H

#include "grade/judge/cases.h"
#include "sandbox/process/session.h"

// Bytes that the memory file of the outputs needs for `slots` slots, and for a set of inputs.
uint64_t ladder_runner_file_bytes(const kl_prepared *data, int slots);

// Compares the inputs of sets: [count], of one shape, with what the runner hands back in the memory
// file, mapped at `file`. *out_name: the first one that differs, NULL: none. KL_ERROR_INPUT: no
// answer. KL_ERROR_SYSTEM: none, on a machine that is too busy.
kl_status ladder_inputs_kept(ladder_session *session, const kl_prepared *const *sets, int count,
                             const unsigned char *file, double limit_s, const char **out_name,
                             kl_error *err);

#endif
