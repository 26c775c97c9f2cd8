// SPDX-License-Identifier: MIT
// The sheet of a class as a course's system gives it, and which mark is whose. Nothing is guessed:
// a mark that fits two students, or a student whom two marks fit, is told and not entered.
#ifndef LADDER_EXPORT_ROSTER_H
#define LADDER_EXPORT_ROSTER_H

#include "course/export/export.h"
#include "course/people/sheet.h"
#include "utilities/number.h"

// A roster, and whose each mark is.
typedef struct ladder_roster {
    ladder_sheet sheet; // as it was read
    bool *is_student;   // [sheet.csv.row_count]: false for the head and rows about the assignment
    size_t *mark_of;    // [row_count]: index of the student's mark, or LADDER_ROSTER_NOBODY
    size_t lost;        // marks that no row got
    size_t matched;     // marks that found one student
    size_t odd;         // marks in rows that somebody should look at
    size_t column;      // of the marks
    char decimal;       // of its numbers: '.' or ','; 0: not shown by any
    int64_t most;       // points possible, in hundredths; 0: not known
    bool takes_percent; // the system reads "98%" as a part of the points possible
    bool takes_bonus;   // and marks above the points possible
} ladder_roster;

#define LADDER_ROSTER_NOBODY ((size_t)-1)

// Reads the table's roster. Freed in any case.
kl_status ladder_roster_read(const char *path, ladder_roster *out_roster, kl_error *err);
void ladder_roster_free(ladder_roster *roster);

// Gives each student a mark (course/people/match.h). Who is not found is told to table->notes.
kl_status ladder_roster_match(ladder_roster *roster, const ladder_export_table *table,
                              kl_error *err);

// The number in a cell of the sheet. KL_ERROR_INPUT with the table's path, line and column where it
// is in doubt ("1,000").
kl_status ladder_roster_number(const ladder_roster *roster, const ladder_export_table *table,
                               size_t row, size_t column, ladder_number *out_number, kl_error *err);

// Reads the numbers that the students have in roster->column: none may be in doubt.
kl_status ladder_roster_check(const ladder_roster *roster, const ladder_export_table *table,
                              kl_error *err);

// Whether a mark, in hundredths, may take the place of what the row has. A word, such as Canvas's
// EX of who is excused, stays, as does all where the system refuses the mark: it counts as lost.
// That a mark is less than the old one is told.
bool ladder_roster_takes(ladder_roster *roster, const ladder_export_table *table, size_t row,
                         int64_t mark);

// The cell of a row that keeps its mark, without thousands separators, which importers take for
// decimal marks; with `decimal`. One above roster->most is told and counts as odd. Returns the cell
// or text.
const char *ladder_roster_kept(ladder_roster *roster, const ladder_export_table *table, size_t row,
                               char decimal, char *text, size_t text_bytes);

// Tells the table how many marks are lost, found their student, and need a look.
void ladder_roster_count(const ladder_roster *roster, const ladder_export_table *table);

#endif
