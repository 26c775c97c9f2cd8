// Who a student is: what one source says of a student, and which student of a list is meant.
#pragma once

#include "grade/submission/submission.h"

// ---- match.c ------------------------------------------------------------------------------------
// What one source says of a student: a name, ids, words in which either may stand.

// A student as one source knows them. All of it was written by people: made printable, not checked.
typedef struct ladder_person {
    char name[LADDER_TITLE]; // "Lee, Ann" or "Ann Lee"; "": not told
    char ids[512]; // numbers, logins, addresses, "Participant 17", other names: a line each
    char words[LADDER_TITLE]; // a file's or folder's name that an id may be part of; "": none
} ladder_person;

// Adds an id once; blanks around it are left out. False: there is no room for it.
bool ladder_person_add(ladder_person *person, const char *id);
// The next id, "" at the end: *at begins as person->ids. out: [LADDER_TITLE].
bool ladder_person_next(const char **at, char *out);

// The number of "Participant 17", letter case ignored: Moodle's, another one in each assignment.
// NULL: the id is of another kind.
const char *ladder_participant(const char *id);

// Who is meant by a word: an id, a login, a name.
ladder_person ladder_person_of_word(const char *word);
// By a submission's title and the user of its system.
ladder_person ladder_person_of_title(const char *title, const char *user);

enum { LADDER_MEMBERS_MAX = 32 };
// All who handed a submission in: one, or a group. Returns how many: at least 1.
int ladder_people_of(const ladder_submission *submission, ladder_person out[LADDER_MEMBERS_MAX]);

// What became of a list of people, said at the end of each run.
typedef struct ladder_people_counts {
    size_t students, matched; // of the list; those who were found
} ladder_people_counts;
// "30 students, 28 matched, 2 to decide".
void ladder_people_tell(const ladder_people_counts *counts, FILE *out);

// ---- match.c ------------------------------------------------------------------------------------
// Which student of a list is meant: the one matcher of people. By these rules, in this order:
//   1. an id that is equal, letter case ignored. An address equals a login that is its part before
//      the @, but no other address.
//   2. a name, with its words in any order but kept in a row ("Lee, Ann", "Ann Lee", "leeann"; the
//      same order first), letters without their accents, all else than letters and digits ignored.
//   3. a number of Moodle's participants, which is another in each assignment, so that it only
//      decides between equal names or where no name is known. 17 is "Participant 17".
//   4. words between underscores of a file's name: an id among them, or a name as the first.
// Where a rule fits several students, those that the next rule fits as well are looked at. An id of
// one student beside the name of another one is to decide, and nobody is guessed.

// A list of students with what they are compared by.
typedef struct ladder_people ladder_people;

// Instead of an index: none fits; several fit, or two rules disagree.
enum { LADDER_NOBODY = -1, LADDER_SEVERAL = -2 };

// list: [count]; is copied. NULL after an error.
kl_status ladder_people_make(const ladder_person *list, size_t count, ladder_people **out_people,
                             kl_error *err);
void ladder_people_free(ladder_people *people);

// Index of the student in the list; LADDER_NOBODY: none fits; LADDER_SEVERAL: to decide.
int ladder_people_find(const ladder_people *people, const ladder_person *wanted);
// Whether an id says so, and not the name alone.
bool ladder_people_by_id(const ladder_people *people, int index, const ladder_person *wanted);

// Whether two names are those of one person, by rule 2.
bool ladder_names_are_one(const char *a, const char *b);
// Whether two names have the same words, spelt alike: "Lee, Ann" and "Ann Lee".
bool ladder_names_are_turned(const char *a, const char *b);

// ---- csv.c --------------------------------------------------------------------------------------
// Reads a sheet of comma-separated values (RFC 4180): quoted cells with doubled quotes, line breaks
// inside them, CRLF or LF; a byte order mark is skipped, and semicolons or tabs are taken where the
// first line has more of them than commas, or where Excel's line "sep=;" says so. UTF-8, or UTF-16
// as Excel's "Unicode text".

// A row of a sheet.
typedef struct ladder_csv_row {
    size_t first, count; // of its cells
    int line;            // in the file, from 1
} ladder_csv_row;

// A sheet that was read.
typedef struct ladder_csv {
    char *text;           // holds the cells
    char **cells;         // [cell_count], terminated, row after row
    size_t cell_count;    // of cells
    ladder_csv_row *rows; // blank lines are left out
    size_t row_count;     // of rows
    char separator;       // ',', ';' or a tab
} ladder_csv;

// Takes a copy of the text. KL_ERROR_INPUT with the line of what is no such sheet; on failure
// nothing is to be freed.
kl_status ladder_csv_parse(const char *text, size_t bytes, ladder_csv *out_csv, kl_error *err);
// The same from a file of at most 16 MiB, whose path stands before the error.
kl_status ladder_csv_read(const char *path, ladder_csv *out_csv, kl_error *err);
void ladder_csv_free(ladder_csv *csv);

// "" beyond the end of the row.
const char *ladder_csv_cell(const ladder_csv *csv, size_t row, size_t column);
// Column of the first row with this title, blanks around it and letter case ignored; -1: none.
int ladder_csv_column(const ladder_csv *csv, const char *title);

// Writes a cell: a number in any notation and a lone "-" as they are, all else as
// ladder_put_csv_lines does, so that no spreadsheet takes it for a formula.
void ladder_csv_put(FILE *out, const char *text);

// The decimal mark, '.' or ',', that numbers in these columns show, the first row left out; 0: none
// shows one, or both are there.
char ladder_csv_decimal(const ladder_csv *csv, size_t first, size_t last);

// "line 3, column F (02_reduction (501))", for errors; returns out.
char *ladder_csv_place(const ladder_csv *csv, size_t row, size_t column, char *out,
                       size_t out_bytes);

// ---- sheet.c ------------------------------------------------------------------------------------
// A sheet with a line per student, as a course system gives it or as somebody made it.

// A line of the sheet.
typedef struct ladder_sheet_student {
    ladder_person who;             // name and all ids
    char key[128], login[128];     // the first id, and the first login; ""
    char group[LADDER_TITLE];      // "": none
    char repository[LADDER_TITLE]; // of the group, as GitHub Classroom names it; ""
    double submitted_s;            // when, seconds since 1970; 0: not told
    char files[LADDER_TITLE];      // that a person takes for steps (ladder_files_as_read); ""
    size_t row;                    // of the sheet
} ladder_sheet_student;

// A sheet that was read.
typedef struct ladder_sheet {
    ladder_csv csv;             // all of it
    ladder_sheet_student *list; // [count], in the sheet's order
    size_t count;               // students
    bool has_groups;            // a column that tells them
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

// ---- join.c -------------------------------------------------------------------------------------
// What a sheet says of those who handed in: their group, other ids of theirs, when they handed in.

// Takes it into a class, list: [count]. A submission of one of a group, or under the group's name
// or that of its repository, becomes that of all its members; one without a time gets the sheet's;
// that of a single student is called as the sheet calls the student. Whom the sheet lacks is told
// to notes, with a line of counts. KL_ERROR_INPUT: the sheet has a student in two groups.
kl_status ladder_people_join(const char *path, ladder_submission *list, size_t count, FILE *notes,
                             kl_error *err);
// What a single student handed in is called as in a list of people, `who` of those of `people`, or
// as in a sheet; list: [count]. lines: the list is a sheet's, whose lines they get.
void ladder_people_name(const ladder_people *people, const ladder_person *who, bool lines,
                        ladder_submission *list, size_t count);
// In the order of the sheet; behind them, by their names, those who are in none.
void ladder_people_order(ladder_submission *list, size_t count);
kl_status ladder_people_name_from(const char *path, ladder_submission *list, size_t count,
                                  kl_error *err);

// That nobody handed in with two groups, or with a group and alone: such a student would have two
// marks, of which nobody said which counts. KL_ERROR_INPUT names student and submissions.
kl_status ladder_people_once(const ladder_submission *list, size_t count, kl_error *err);
