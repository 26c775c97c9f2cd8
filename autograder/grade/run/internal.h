// SPDX-License-Identifier: MIT
// What the files of this module share.
#ifndef LADDER_RUN_INTERNAL_H
#define LADDER_RUN_INTERNAL_H

#include "grade/run/grade_submission.h"

// What the step counts where the student predicted it. No part of the score.
void ladder_count_predictions(ladder_submission_run *run, ladder_step_result *result);

#endif
