// SPDX-License-Identifier: MIT
// The sheet of a class as a course's system gives it, and which mark is whose. Nothing is guessed:
// a mark that fits two students, or a student whom two marks fit, is told and not entered.
#ifndef LADDER_EXPORT_ROSTER_H
#define LADDER_EXPORT_ROSTER_H

#include "course/export/export.h"
#include "course/people/sheet.h"

// A roster, and whose each mark is.
typedef struct ladder_roster {
    ladder_sheet sheet; // as it was read
    bool *is_student;   // [sheet.csv.row_count]: false for the head and rows about the assignment
    size_t *mark_of;    // [row_count]: index of the student's mark, or LADDER_ROSTER_NOBODY
    size_t lost;        // marks that no row got
    size_t matched;     // marks that found one student
} ladder_roster;

#define LADDER_ROSTER_NOBODY ((size_t)-1)

// Reads the table's roster. Freed in any case.
kl_status ladder_roster_read(const char *path, ladder_roster *out_roster, kl_error *err);
void ladder_roster_free(ladder_roster *roster);

// Gives each student a mark (course/people/match.h). Who is not found is told to table->notes.
kl_status ladder_roster_match(ladder_roster *roster, const ladder_export_table *table,
                              kl_error *err);

#endif
