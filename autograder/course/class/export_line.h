// SPDX-License-Identifier: MIT
// A row of the class as the mark that a table of another system gets (course/export/export.h).
#ifndef LADDER_CLASS_EXPORT_LINE_H
#define LADDER_CLASS_EXPORT_LINE_H

#include "course/class/rows.h"
#include "course/export/export.h"

// "step 1: 8 of 8; step 2: 0 of 6 (wrong answer); 1 day late: -0.80; final: ..": what a table says
// to its student. NULL: no memory. Caller frees.
char *ladder_row_feedback(const ladder_row *row);

// The final mark with its feedback, as long-lived as row, who and feedback.
ladder_export_line ladder_row_export(const ladder_row *row, const ladder_person *who,
                                     const char *feedback);

#endif
