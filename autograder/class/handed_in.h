// SPDX-License-Identifier: MIT
// The list of who handed in what: a class's rows beside what its course system knows.
#ifndef LADDER_CLASS_HANDED_IN_H
#define LADDER_CLASS_HANDED_IN_H

#include <stdio.h>

#include "class/rows.h"
#include "intake/late.h"

// CSV: name, id of the results, number or name on the course system, time, days late, score, score
// after the late policy, why it cannot be read. list, rows: [count], of the same submissions.
void ladder_class_handed_in(const ladder_submission *list, const ladder_row *rows, size_t count,
                            const ladder_late_policy *policy, FILE *out);

// Under a class's table: whose score the policy lowers, a line each.
void ladder_class_late_table(const ladder_submission *list, const ladder_row *rows, size_t count,
                             const ladder_late_policy *policy, FILE *out);

#endif
