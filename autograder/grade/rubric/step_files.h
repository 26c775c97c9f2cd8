// SPDX-License-Identifier: MIT
// A student's folder of steps: files that are not there, and files that are no step's.
#ifndef LADDER_RUBRIC_STEP_FILES_H
#define LADDER_RUBRIC_STEP_FILES_H

#include "grade/rubric/lab.h"
#include "utilities/kit.h"

// KL_ERROR_INPUT when the file of one of these steps ([count]) is not there: the sentence names it,
// and the file that was probably meant or how to get it back. Says on standard error when a copy of
// a step ("2_grid (copy).cu") was saved after the step's own file: the copy is not compiled.
// count 0: of all the lab's steps, and a missing file is only told.
kl_status ladder_step_files_require(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                                    int count, kl_error *err);

#endif
