// SPDX-License-Identifier: MIT
// What a lab's program says of a step that is not right: the paragraph below its first table,
// "step 2 grid: WRONG", with the case, the values and the hint.
#ifndef LADDER_FINDINGS_VERDICT_H
#define LADDER_FINDINGS_VERDICT_H

#include <stdbool.h>

#include "grade/rubric/lab_files.h"
#include "step_end.h"

enum { LADDER_VERDICT_TEXT = 2048 };

// What is known of a step.
typedef struct ladder_verdict {
    kl_step_end end;                // how the step came out; KL_RUN_NONE: nothing was run
    char text[LADDER_VERDICT_TEXT]; // the paragraph; "" when there is nothing to say
} ladder_verdict;

// Takes it from what the program printed.
void ladder_verdict_find(const char *output, int step, ladder_verdict *out_verdict);

// Asks for it: nothing is run when the last run of this version of the student's file was right,
// else the lab's quick cases, which take a moment. The step must have been built. A step that is
// not written gets a sentence, too.
kl_status ladder_verdict_ask(const ladder_kit *kit, const ladder_lab *lab, int step, bool solution,
                             ladder_verdict *out_verdict, kl_error *err);

// Whether the step it is about runs to its end: it is right, or its results are wrong.
bool ladder_verdict_ends(const ladder_verdict *verdict);

#endif
