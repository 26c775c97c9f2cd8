// SPDX-License-Identifier: MIT
// What a lab's program says of a step that is not right: the paragraph below its first table,
// "step 2 grid: WRONG", with the case, the values and the hint.
#ifndef LADDER_FINDINGS_VERDICT_H
#define LADDER_FINDINGS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "grade/rubric/lab_files.h"

enum { LADDER_VERDICT = 2048 }; // bytes of a verdict, terminator included

// Takes the paragraph from what the program printed. out: [LADDER_VERDICT]; "" when there is none.
bool ladder_verdict_find(const char *output, int step, char *out);

// Asks for it: nothing is run when the last run of this version of the student's file was right,
// else the lab's quick cases, which take a moment. The step must have been built. out:
// [LADDER_VERDICT]; "" when the step is right. A step that is not written gets a sentence, too.
kl_status ladder_verdict_ask(const ladder_kit *kit, const ladder_lab *lab, int step, bool solution,
                             char *out, kl_error *err);

// Whether the step it is about runs to its end: it is right, or its results are wrong.
bool ladder_verdict_ends(const char *verdict);

#endif
