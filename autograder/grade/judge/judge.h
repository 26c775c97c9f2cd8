// SPDX-License-Identifier: MIT
// The verdict on one built step: runs it on every correctness case in a runner process, takes back
// raw output bytes, compares them itself, and watches in the engine that kernels did the work.
#ifndef LADDER_JUDGE_JUDGE_H
#define LADDER_JUDGE_JUDGE_H

#include "grade/judge/attempt.h"

enum { LADDER_JUDGE_CASES = 128 }; // whose costs are kept

// For the check of the step (check.h): what each case cost, and which one gave the first wrong
// answer.
typedef struct ladder_step_costs {
    uint64_t instructions[LADDER_JUDGE_CASES]; // warp instructions by index of the case; 0: none
    int first_wrong;                           // index of a case, or -1
} ladder_step_costs;

// All correctness cases. Fills in outcome, message, failures and counts of cases of the step.
void ladder_judge_step(const ladder_submission_run *run, ladder_step_costs *out_costs);

// Adds a failed case: with this outcome and the end's text, without paths of the private folder,
// which mean nothing to the reader, and with what was compared.
void ladder_judge_failure(const ladder_submission_run *run, ladder_outcome outcome,
                          const ladder_case *item, const ladder_case_end *end);
void ladder_judge_hide_folder(const char *object, char *text);

#endif
