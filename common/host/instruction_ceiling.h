// SPDX-License-Identifier: MIT
// How many warp instructions one call of a step may execute on the simulator before it counts as
// endless, or as doing the work of others: a stated multiple of what the lab's own steps execute
// for so much work, whatever the size. labs/warp_instructions.csv has what they execute.
#ifndef KL_INSTRUCTION_CEILING_H
#define KL_INSTRUCTION_CEILING_H

#include "problem.h"

// The ceiling of a call of this step on this case. `solution`: a fifth of it, which keeps the data
// true: the tests of the solutions fail when a step comes near its ceiling.
double kl_instruction_ceiling(const kl_problem *problem, int step, const kl_case *shape,
                              bool solution);

// What a step that executed so many warp instructions and was stopped is told. True: that a loop
// does not end, as the case has so little work that nothing else is possible; false: how many times
// the expected instructions it was.
bool kl_instruction_ceiling_text(const kl_problem *problem, int step, const kl_case *shape,
                                 double executed, char *text, size_t text_bytes);

#endif
