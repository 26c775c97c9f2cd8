// SPDX-License-Identifier: MIT
// The steps of one submission side by side, each in a process of its own, results in order. Nothing
// of what a step is worth depends on the others or on when it is graded.
#ifndef LADDER_RUN_STEPS_IN_PARALLEL_H
#define LADDER_RUN_STEPS_IN_PARALLEL_H

#include "grade/rubric/result.h"

// Fills *out_result of the step with this index.
typedef void ladder_step_worker(void *context, int index, ladder_step_result *out_result);

// Runs the worker for each of `count` steps, at most `limit` at a time; results: [count]. With a
// limit of 1, or where no process can be made, in this process. A worker that crashes takes this
// process along with it, as it would have done in it.
void ladder_steps_in_parallel(int count, int limit, ladder_step_worker *worker, void *context,
                              ladder_step_result *results);

#endif
