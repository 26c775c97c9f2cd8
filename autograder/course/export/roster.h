// SPDX-License-Identifier: MIT
// The sheet of a class as a course's system gives it, and which submission is whose. Nothing is
// guessed: a submission that fits two students, or a student whom two submissions fit, is told and
// gets no mark.
#ifndef LADDER_EXPORT_ROSTER_H
#define LADDER_EXPORT_ROSTER_H

#include "course/export/csv.h"
#include "course/export/export.h"

// How a column tells who a student is.
typedef enum ladder_roster_key {
    LADDER_ROSTER_NAME, // "Lee, Ann" or "Ann Lee"
    LADDER_ROSTER_ID    // a number, a login, an address; "Participant 17"
} ladder_roster_key;

typedef struct ladder_roster_column {
    const char *title;
    ladder_roster_key key;
    int column; // found by ladder_roster_find; -1: the sheet has none
} ladder_roster_column;

typedef struct ladder_roster {
    ladder_csv csv;
    bool *is_student; // [row_count]: false for the head and for rows about the assignment
    size_t *mark_of;  // [row_count]: index of the student's mark, or LADDER_ROSTER_NOBODY
    size_t lost;      // marks that no row got
} ladder_roster;

#define LADDER_ROSTER_NOBODY ((size_t)-1)

// Reads the table's roster; all rows below the head are students until the caller says otherwise.
kl_status ladder_roster_read(const char *path, ladder_roster *out_roster, kl_error *err);
void ladder_roster_free(ladder_roster *roster);

// Gives each student a mark, by the user of a submission, if known, and by its title: equal to an
// id or a name; with an id as one of its parts ("leeann_4711_80.cu", "Ann
// Lee_17_assignsubmission_file_"); with a name as its first part. columns: [count], their `column`
// is filled. Who is not found is told to table->notes.
kl_status ladder_roster_match(ladder_roster *roster, ladder_roster_column *columns, size_t count,
                              const ladder_export_table *table, kl_error *err);

#endif
