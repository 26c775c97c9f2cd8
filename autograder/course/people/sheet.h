// SPDX-License-Identifier: MIT
// A sheet with a line per student, as a course system gives it or as somebody made it.
#ifndef LADDER_PEOPLE_SHEET_H
#define LADDER_PEOPLE_SHEET_H

#include "course/people/csv.h"
#include "course/people/person.h"

// A line of the sheet.
typedef struct ladder_sheet_student {
    ladder_person who;             // name and all ids
    char key[128], login[128];     // the first id, and the first login; ""
    char group[LADDER_TITLE];      // "": none
    char repository[LADDER_TITLE]; // of the group, as GitHub Classroom names it; ""
    double submitted_s;            // when, seconds since 1970; 0: not told
    size_t row;                    // of the sheet
} ladder_sheet_student;

// A sheet that was read.
typedef struct ladder_sheet {
    ladder_csv csv;             // all of it
    ladder_sheet_student *list; // [count], in the sheet's order
    size_t count;               // students
    bool has_groups, has_times; // columns that tell them
} ladder_sheet;

// Lines about assignments ("Points Possible") and Canvas's test student are no students.
// KL_ERROR_INPUT: it is no such sheet, is no text, names nobody, has a row with more cells than
// titles, or an id that a spreadsheet has shortened.
kl_status ladder_sheet_read(const char *path, ladder_sheet *out_sheet, kl_error *err);
void ladder_sheet_free(ladder_sheet *sheet);

// Whether the row is Canvas's "Points Possible", in whichever column that stands.
bool ladder_sheet_is_possible(const ladder_csv *csv, size_t row);

// An id as its system has it: "4711" of "4711.0" and "4,711"; others as they are. Returns out.
char *ladder_sheet_id(const char *cell, char out[LADDER_TITLE]);

// Seconds since 1970 of the times that systems write: as ladder_time_read does, and Moodle's
// "Monday, 1 May 2023, 9:00 AM", in this machine's time zone. False for a text that is none.
bool ladder_sheet_time(const char *text, double *out_s);

#endif
