// SPDX-License-Identifier: MIT
// How far a submission is: see plan.h.
#include "grade/judge/plan.h"

void ladder_run_tell(const ladder_submission_run *run, int step, const char *what) {
    if (run->progress != NULL) run->progress(run->context, step, what);
}

void ladder_run_step(ladder_submission_run *run, const ladder_rubric_step *step, const char *object,
                     const char *folder, ladder_step_result *result) {
    run->step = step;
    run->object = object;
    run->step_folder = folder;
    run->step_result = result;
}
