// What the files of the gradebook share: statements, errors, the audit trail, students. Only they
// know SQLite.
#pragma once

#include "course/gradebook/gradebook.h"
#include <signal.h>
#include <sqlite3.h>

struct ladder_book {
    sqlite3 *db;
    char path[4096];
    char who[80];
    double wait_s;
    bool changing;    // between begin and commit
    ladder_lock lock; // then: who else writes learns of this process
    bool ignoring;    // SIGXFSZ, which was dealt with as `before` says
    struct sigaction before;
};

// Schema versions (schema.c): migrations[i] makes version i + 1 of version i.
extern const char *const ladder_book_migrations[];
extern const int ladder_book_version;
// Between them rows may be deleted that are only added otherwise.
extern const char ladder_book_unlock[], ladder_book_lock[];

// Runs statements that have no arguments.
kl_status ladder_sql_execute(ladder_book *book, const char *sql, kl_error *err);
// Prepares a statement and binds arguments by `types`: i (int64_t), d (double, NaN: NULL), t (const
// char *, NULL: NULL). The caller finalizes it.
kl_status ladder_sql_prepare(ladder_book *book, sqlite3_stmt **out_statement, kl_error *err,
                             const char *sql, const char *types, ...);
// Runs a statement that gives no rows.
kl_status ladder_sql_run(ladder_book *book, kl_error *err, const char *sql, const char *types, ...);
// Runs one that gives a number in its first row; `otherwise` when there is no row.
kl_status ladder_sql_number(ladder_book *book, int64_t otherwise, int64_t *out_number,
                            kl_error *err, const char *sql, const char *types, ...);
// One more row: true; at the end, or where it fails: false, and *status says which.
bool ladder_sql_row(ladder_book *book, sqlite3_stmt *statement, kl_status *status, kl_error *err);
// A text of the present row, "" for NULL, cut to what fits.
void ladder_sql_text(sqlite3_stmt *statement, int column, char *out, size_t out_bytes);

// UTC, "2026-11-20T23:59:00Z"; out: [32].
void ladder_sql_now(char *out);

// Adds a line to the audit trail. student, lab: NULL where it is about none.
kl_status ladder_sql_audit(ladder_book *book, const char *action, const char *student,
                           const char *lab, kl_error *err, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

// The lab's row; made when `make`, else 0 where there is none.
kl_status ladder_sql_assignment(ladder_book *book, const ladder_lab *lab, bool make,
                                int64_t *out_assignment, kl_error *err);

// What was decided about a student's lab and stands: an override, in points, or a due date of the
// student's own, in seconds since 1970.
typedef enum ladder_book_decision { LADDER_BOOK_OVERRIDE, LADDER_BOOK_DUE } ladder_book_decision;
typedef struct ladder_book_standing {
    bool stands;
    double value, most; // most: of an override, what the lab was worth then; 0: not known
    char reason[256], who[80];
} ladder_book_standing;
// Enters one; its value NaN takes back what stands.
kl_status ladder_sql_decide(ladder_book *book, ladder_book_decision what, int64_t student,
                            int64_t assignment, const ladder_book_standing *set, kl_error *err);
kl_status ladder_sql_standing(ladder_book *book, ladder_book_decision what, int64_t student,
                              int64_t assignment, ladder_book_standing *out, kl_error *err);

// Slip days of a student that are left for a lab, of those that `late` gives: without what labs due
// before take, or (spent best) what this one gets.
kl_status ladder_sql_slip_days(ladder_book *book, int64_t student, const ladder_lab *lab,
                               const ladder_late_policy *late, int *out_left, kl_error *err);

// What persons gave a student in a lab.
kl_status ladder_sql_given(ladder_book *book, int64_t student, int64_t assignment,
                           ladder_given *out, kl_error *err);

// All students, to find one.
typedef struct ladder_book_student {
    int64_t id;
    char key[128], name[LADDER_TITLE], login[128];
    bool roster;       // a roster named this student
    bool dropped;      // who has left the course
    ladder_person who; // name, key, login and aliases
} ladder_book_student;
typedef struct ladder_book_students {
    ladder_book_student *items; // without those that were merged into another one
    size_t count, capacity, on_roster;
    ladder_people *people; // of the same order
} ladder_book_students;
kl_status ladder_sql_students(ladder_book *book, ladder_book_students *out_students, kl_error *err);
void ladder_book_students_free(ladder_book_students *students);

// Who is meant by a word on the command line; an error that says why nobody is. The first one takes
// nobody who has left the course.
kl_status ladder_sql_student(ladder_book *book, const char *word, ladder_book_student *out,
                             kl_error *err);
kl_status ladder_sql_anyone(ladder_book *book, const char *word, ladder_book_student *out,
                            kl_error *err);
// Adds an alias once.
kl_status ladder_sql_alias(ladder_book *book, int64_t student, const char *alias, kl_error *err);
