// The gradebook of a course: one SQLite file with students, attempts, every grade that an attempt
// ever got with what it was graded by, overrides with their reason, late policies, and an audit
// trail to which every change adds a line. Needs SQLite (libsqlite3-dev); in a build without it
// ladder_book_open says so.
// Errors name the file, what is wrong and what to do. Changes lie between ladder_book_begin and
// ladder_book_commit and are made together or not at all.
#pragma once

#include "course/class/class.h"

// ---- book.c -------------------------------------------------------------------------------------

// An open gradebook.
typedef struct ladder_book ladder_book;

// How a book is opened.
typedef struct ladder_book_access {
    bool create;     // a book that is not there is made
    const char *who; // of changes, for the audit trail; NULL: the user of this machine
    double wait_s;   // for another process that writes; 0: 30 s
} ladder_book_access;

// Opens a book and brings an older one to the present schema. Looks through the file: one that is
// damaged, no gradebook, or of a newer kit is refused and stays as it is.
kl_status ladder_book_open(const char *path, const ladder_book_access *access,
                           ladder_book **out_book, kl_error *err);
void ladder_book_close(ladder_book *book); // NULL: nothing; what was not committed is undone

// Begins changes, makes them, takes them back. KL_ERROR_SYSTEM names the file.
kl_status ladder_book_begin(ladder_book *book, kl_error *err);
kl_status ladder_book_commit(ladder_book *book, kl_error *err);
void ladder_book_undo(ladder_book *book);

// A copy that is whole even while others write. KL_ERROR_INPUT: the file is there already.
kl_status ladder_book_backup(ladder_book *book, const char *path, kl_error *err);

// Which attempt of a student counts.
typedef enum ladder_book_counts {
    LADDER_COUNTS_BEST, // the highest final mark
    LADDER_COUNTS_LAST,
    LADDER_COUNTS_FIRST
} ladder_book_counts;
// Words for them on the command line.
#define LADDER_COUNTS_CHOICES "best|last|first"

// How the mark of a lab follows from a student's attempts.
typedef struct ladder_book_policy {
    ladder_book_counts counts; // which attempt
    int attempts;              // that count, the first ones; 0: all
    ladder_late_policy late;   // what being late costs
    bool quick;                // graded on small cases
} ladder_book_policy;

// Of a lab; the default (best, all, never late) for one that is not in the book yet.
kl_status ladder_book_policy_get(ladder_book *book, const ladder_lab *lab,
                                 ladder_book_policy *out_policy, kl_error *err);
// What a command line or a course's file says takes the place of what the policy has: its due date
// with what being late costs, and its window.
void ladder_book_policy_take(ladder_book_policy *policy, const ladder_late_policy *said);
kl_status ladder_book_policy_set(ladder_book *book, const ladder_lab *lab,
                                 const ladder_book_policy *policy, kl_error *err);
enum { LADDER_BOOK_POLICY = 400 };
// "best of 3 attempts; due 2026-11-20 23:59 UTC, 10 % per day, at most 50 %". Returns text.
char *ladder_book_policy_text(const ladder_book_policy *policy, char *text, size_t text_bytes);

// Students from a sheet (CSV) with a head: Canvas's gradebook, Moodle's worksheet, or columns named
// id, name and login or email. Those that are there are brought up to date.
typedef struct ladder_book_roster_counts {
    size_t added, changed, same; // students: new, brought up to date, as they were
    size_t undecided;            // lines whose ids are those of several students of the book
    char first[LADDER_TITLE];    // the name of one of these
} ladder_book_roster_counts;
// Enters the students of the sheet. KL_ERROR_INPUT: it is no such sheet, with the line.
kl_status ladder_book_roster(ladder_book *book, const char *path,
                             ladder_book_roster_counts *out_counts, kl_error *err);

// All students of the book; matched: those whom a roster named, the others are told to notes.
kl_status ladder_book_people(ladder_book *book, FILE *notes, ladder_people_counts *out_counts,
                             kl_error *err);

// `alias`, an id or a name, is this student, too. KL_ERROR_INPUT: it is another student's.
kl_status ladder_book_alias(ladder_book *book, const char *student, const char *alias,
                            kl_error *err);
// Two students of the book are one: attempts, overrides, due dates, ids and names of `from` become
// those of `into`. KL_ERROR_INPUT: both have an override, or a due date, of one lab.
kl_status ladder_book_merge(ladder_book *book, const char *from, const char *into, kl_error *err);

// A student leaves the course: is in no table, export or sheet any more, and keeps all that was
// entered; or (withdraw) is back. KL_ERROR_INPUT: it is so already, or there is no reason.
kl_status ladder_book_drop(ladder_book *book, const char *student, bool withdraw,
                           const char *reason, kl_error *err);
// What of a student was erased.
typedef struct ladder_book_erased {
    int64_t attempts, grades, lines; // lines: of the history
} ladder_book_erased;
// Erases a student who was dropped: nothing in the file names the student any more, and the history
// notes that somebody was erased, not who. Begins and commits by itself: the file is written anew;
// where that fails, the student is erased all the same, and the error says so.
kl_status ladder_book_erase(ladder_book *book, const char *student, const char *reason,
                            ladder_book_erased *out_erased, kl_error *err);

// What became of graded submissions.
typedef struct ladder_book_recorded {
    size_t added;        // attempts that are new
    size_t ungraded;     // hand-ins that could not be graded, which are no attempts
    size_t known;        // that have this grade already
    size_t replaced;     // grades in place of older ones
    size_t other_rubric; // left as they are: graded by another rubric, and this is no regrade
    size_t skipped;      // without a result, or, of a regrade, not in the book
    size_t strangers;    // students that are new, and that no roster named
    bool roster;         // the book has one
    ladder_people_counts people; // who handed in; matched: those whom a roster named
} ladder_book_recorded;

// Enters graded submissions; list, rows: [count], of the same submissions. What several handed in
// together is an attempt of each. The same files of a student are the same attempt. regrade:
// attempts that are there get these grades, and no attempt is added; else a scored grade stays.
// notes: whom no roster names; NULL: nobody asks.
kl_status ladder_book_record(ladder_book *book, const ladder_lab *lab,
                             const ladder_submission *list, const ladder_row *rows, size_t count,
                             bool regrade, FILE *notes, ladder_book_recorded *out_recorded,
                             kl_error *err);

// What a single student handed in is called as a roster calls the student; list: [count], which is
// put in order (ladder_people_order).
kl_status ladder_book_names(ladder_book *book, ladder_submission *list, size_t count,
                            kl_error *err);
// Overrides of those who handed in: fills overridden and override of changes: [count].
kl_status ladder_book_overrides(ladder_book *book, const ladder_lab *lab,
                                const ladder_submission *list, size_t count,
                                ladder_points_change *changes, kl_error *err);

// A criterion of a lab that persons mark: `points` at most, NaN: it is taken back. KL_ERROR_INPUT:
// the name is no word of a-z, 0-9, - and _, there are too many, somebody has more points already.
kl_status ladder_book_criterion(ladder_book *book, const ladder_lab *lab, const char *name,
                                double points, const char *text, kl_error *err);

// One thing that a person gives: points for a criterion, or a comment on a line.
typedef struct ladder_book_gift {
    const char *criterion; // NULL: a comment on a line
    double points;         // of the criterion; NaN: it is not marked any more
    const char *file;      // of the line: a step's file; NULL: none
    uint32_t line;         // from 1
    const char *text;      // comment; on a line "" takes it back
} ladder_book_gift;

// Gives it to a student. *out_new: it was not so before. KL_ERROR_INPUT: nobody or several answer
// to `student`, the lab has no such criterion or file, points are not from 0 to the criterion's.
kl_status ladder_book_give(ladder_book *book, const ladder_lab *lab, const char *student,
                           const ladder_book_gift *gift, bool *out_new, kl_error *err);
// What persons gave to those who handed in: fills given: [count]. What the members of a group do
// not have in common is left out.
kl_status ladder_book_given(ladder_book *book, const ladder_lab *lab, const ladder_submission *list,
                            size_t count, ladder_given *given, kl_error *err);

// The marks of a lab as lines of text that a person edits (book's README.md has the form), and what
// was edited. *out_new: entries that are new. KL_ERROR_INPUT names file and line; then nothing is
// entered.
kl_status ladder_book_sheet_write(ladder_book *book, const ladder_lab *lab, FILE *out,
                                  kl_error *err);
kl_status ladder_book_sheet_read(ladder_book *book, const ladder_lab *lab, const char *path,
                                 size_t *out_new, kl_error *err);

// A student's mark in a lab.
typedef struct ladder_book_line {
    char key[128], name[LADDER_TITLE], login[128]; // the student: id, name, login
    ladder_person person;                          // the same with all aliases
    int attempts, attempt; // that were graded; the number of the one that counts, or 0
    int ungraded;          // hand-ins that could not be graded: no attempts
    ladder_row row; // of that attempt, or of one that was not graded; title: the student's name
    char kit[80], at[32];              // of its grade
    char reason[256], who[80];         // of the override
    double override_most;              // what the lab was worth then; 0: not known
    ladder_given given;                // what persons gave
    char due_reason[256], due_who[80]; // of the student's own due date (row.change.due_s)
} ladder_book_line;

// All students in order of their names. Caller frees *out_marks.
kl_status ladder_book_marks(ladder_book *book, const ladder_lab *lab, ladder_book_line **out_marks,
                            size_t *out_count, kl_error *err);

// Gives a student a due date of the student's own in a lab (due_s: seconds since 1970), or (NaN)
// takes it back. Errors as those of ladder_book_override.
kl_status ladder_book_due(ladder_book *book, const ladder_lab *lab, const char *student,
                          double due_s, const char *reason, kl_error *err);
// Slip days that are left for this lab, of those who handed in (of a group: of the member who has
// the fewest): fills slip_days of changes: [count].
kl_status ladder_book_slip_days(ladder_book *book, const ladder_lab *lab,
                                const ladder_late_policy *late, const ladder_submission *list,
                                size_t count, ladder_points_change *changes, kl_error *err);
// The own due dates of those who handed in: fills due_s of list: [count].
kl_status ladder_book_dues(ladder_book *book, const ladder_lab *lab, ladder_submission *list,
                           size_t count, kl_error *err);

// One student's mark; errors as those of ladder_book_override.
kl_status ladder_book_mark(ladder_book *book, const ladder_lab *lab, const char *student,
                           ladder_book_line *out_mark, kl_error *err);

// Sets a student's mark, or (points NaN) takes the override back. student: id, login or name.
// bonus: it may be more than the lab is worth. KL_ERROR_INPUT: nobody or several answer to it,
// points are no number of 0 or more or too many, no reason.
kl_status ladder_book_override(ladder_book *book, const ladder_lab *lab, const char *student,
                               double points, bool bonus, const char *reason, kl_error *err);

// Writes the audit trail, all of it or a student's, oldest first: as lines of at most `width`
// columns.
kl_status ladder_book_history(ladder_book *book, const char *student, const kl_style *style,
                              FILE *out, kl_error *err);

// Labs that have attempts: their folders' names, [*out_count]. Caller frees *out_labs.
kl_status ladder_book_labs(ladder_book *book, const ladder_lab ***out_labs, size_t *out_count,
                           kl_error *err);

// ---- graded.c -----------------------------------------------------------------------------------
// What `ladder grade --gradebook` and `ladder regrade` do with a book: before grading they take its
// policy and overrides, behind it they enter the grades, or say who moves by a changed rubric.

// What the command line says of the book.
typedef struct ladder_graded_options {
    const char *file;   // of the book; NULL: none, and nothing is done
    const char *who;    // NULL: the user
    const char *roster; // of the tables for other systems, which is not the book's; NULL: none
    const char *counts; // a word of LADDER_COUNTS_CHOICES; NULL: as the book has it
    int64_t attempts;   // that count; -1: as the book has it
    bool regrade;       // attempts that are there get new grades, if applied
    bool apply;         // of a regrade: enter the new grades
    bool quick;         // graded on small cases
} ladder_graded_options;

// Keeps what the options say of the lab's policy, reads the rest of it into *late (which is the
// options' own where it is given), and fills the own due dates of list, the slip days
// that are left and the overrides of changes, and what persons gave, also as points of changes:
// [count]. A regrade is on small cases, *out_quick, where the lab's last grading was.
kl_status ladder_graded_before(const ladder_graded_options *options, const ladder_lab *lab,
                               ladder_submission *list, size_t count, ladder_late_policy *late,
                               ladder_points_change *changes, ladder_given *given, bool *out_quick,
                               kl_error *err);

// Slip days as ladder_book_slip_days, from the options' book.
kl_status ladder_graded_slip_days(const ladder_graded_options *options, const ladder_lab *lab,
                                  const ladder_late_policy *late, const ladder_submission *list,
                                  size_t count, ladder_points_change *changes, kl_error *err);

// Writes the tables of course systems from a lab's marks in an open book: a line per student.
// *out_exported: as ladder_grade_exports_put.
kl_status ladder_graded_export(ladder_book *book, const ladder_lab *lab,
                               const ladder_grade_exports *exports, const char *output,
                               bool *out_exported, kl_error *err);
// The same from the options' book.
kl_status ladder_graded_export_file(const ladder_graded_options *options, const ladder_lab *lab,
                                    const ladder_grade_exports *exports, const char *output,
                                    bool *out_exported, kl_error *err);

// Enters the grades in one transaction and says what became of them.
kl_status ladder_graded_after(const ladder_graded_options *options,
                              const ladder_grade_results *graded, const kl_style *style, FILE *out,
                              kl_error *err);

// Sets the words of a policy that are given: counts, attempts. KL_ERROR_USAGE for what is none.
kl_status ladder_graded_policy(const char *counts, int64_t attempts, ladder_book_policy *policy,
                               kl_error *err);

// ---- tables.c -----------------------------------------------------------------------------------
// A gradebook for people and programs: a table for a terminal, CSV, JSON.

// All labs: a column of final scores each.
kl_status ladder_book_show(ladder_book *book, const kl_style *style, FILE *out, kl_error *err);
// One lab: attempts, points as graded, what being late costs, override, final points.
kl_status ladder_book_show_lab(ladder_book *book, const ladder_lab *lab, const kl_style *style,
                               FILE *out, kl_error *err);
// The same with what each grade can be traced to, as CSV and as JSON (ladder.gradebook/1).
kl_status ladder_book_csv(ladder_book *book, const ladder_lab *lab, FILE *out, kl_error *err);
kl_status ladder_book_json(ladder_book *book, const ladder_lab *lab, FILE *out, kl_error *err);
