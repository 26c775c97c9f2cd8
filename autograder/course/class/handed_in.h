// SPDX-License-Identifier: MIT
// The list of who handed in what: a class's rows beside what its course system knows.
#ifndef LADDER_CLASS_HANDED_IN_H
#define LADDER_CLASS_HANDED_IN_H

#include <stdio.h>

#include "course/class/rows.h"
#include "grade/intake/late.h"
#include "table.h"

// CSV: name, id of the results, number or name on the course system, time, days late, score, final
// score, why it cannot be read, the student's own due date, the student's name. A line per student
// of a group. list, rows: [count], of the same submissions.
void ladder_class_handed_in(const ladder_submission *list, const ladder_row *rows, size_t count,
                            const ladder_late_policy *policy, FILE *out);

// What a policy makes of each mark. changes: [count]; what an override left there stays.
void ladder_class_late(const ladder_submission *list, size_t count,
                       const ladder_late_policy *policy, ladder_points_change *changes);

// Under a class's table: whose mark is not what was graded, a line each: score before, deduction or
// override, final score.
void ladder_class_changed_table(const ladder_row *rows, size_t count, const kl_style *style,
                                FILE *out);

#endif
