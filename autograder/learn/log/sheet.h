// SPDX-License-Identifier: MIT
// A sheet of questions for an oral exam on a student's own step: what single lines of it count, and
// what they would count for another size or with another access. All numbers are counted on the
// simulator, on two cases of the lab.
#ifndef LADDER_LOG_SHEET_H
#define LADDER_LOG_SHEET_H

#include <stdio.h>

#include "grade/rubric/lab_files.h"

// Questions on one step as Markdown, and behind them the answers, for the examiner. *out_questions:
// how many. KL_ERROR_INPUT: the step does not compile, or no case of the lab is for it.
kl_status ladder_sheet_write(const ladder_kit *kit, const ladder_lab *lab, const kl_step_info *step,
                             FILE *out, int *out_questions, kl_error *err);

#endif
