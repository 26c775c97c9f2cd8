// SPDX-License-Identifier: MIT
// Reads what json.c wrote: a graded submission, from its result.json. Needs Jansson.
#ifndef LADDER_REPORT_READ_H
#define LADDER_REPORT_READ_H

#include "show/report/report.h"

// A graded submission, read from its JSON.
typedef struct ladder_graded {
    const ladder_lab *lab;  // that it is of
    ladder_result *result;  // as graded
    char kit[32];           // version that graded it
    char device[320];       // what ran the steps
    char sandbox[64];       // level that was reached
    char sandbox_text[800]; // what that means
} ladder_graded;

// KL_ERROR_INPUT: not a file of ladder.grade/1, or one of a lab or a rubric that this kit does not
// have. KL_ERROR_SYSTEM: the kit was built without Jansson.
kl_status ladder_graded_read(const char *path, ladder_graded *out_graded, kl_error *err);
void ladder_graded_free(ladder_graded *graded);

// As the reports take it. Points into `graded`.
ladder_report ladder_graded_report(const ladder_graded *graded);

#endif
