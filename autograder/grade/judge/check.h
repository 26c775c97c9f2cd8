// SPDX-License-Identifier: MIT
// What the simulator's checker has to say of a step, whose answers may be right by luck of order.
#ifndef LADDER_JUDGE_CHECK_H
#define LADDER_JUDGE_CHECK_H

#include "grade/judge/judge.h"
#include "utilities/finding.h"

// Runs some of the cases on a checking engine: of each family the two largest that fit its share
// of about a second of processor time; after a wrong answer that case alone. Errors that are
// found (not warnings) are added to the step's failures, with the lines of `source`; a right step
// fails by the first of them.
void ladder_judge_check(const ladder_submission_run *run, const ladder_finding_source *source,
                        const ladder_step_costs *costs);

#endif
