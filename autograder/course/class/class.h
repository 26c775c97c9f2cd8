// A class of submissions: graded by workers, one row per submission, and what is written of all of
// them.
#pragma once

#include "course/export/export.h"
#include "grade/intake/intake.h"
#include "grade/judge/plan.h"
#include "utilities/options.h"

// ---- rows.c -------------------------------------------------------------------------------------
// What a class knows of each submission (a row) and its reports: a table, a CSV file, JSON.

// By what a submission was graded, beside the hashes of its files and of the rubric.
typedef struct ladder_trace {
    char kit[48];                  // version and hash of its programs
    char device[128], sandbox[32]; // what ran the steps; the level of the sandbox
    uint64_t seed;                 // of the inputs
} ladder_trace;

// A row of the class: what the summary needs, kept beside each report so that a stopped run can go
// on.
typedef struct ladder_row {
    char id[96];                     // name of its folder of results
    char title[LADDER_TITLE];        // its name
    char hash[LADDER_SHA256_TEXT];   // of its files
    bool done;                       // false: the grading of this submission itself failed
    ladder_points points;            // what it is worth
    char rubric[LADDER_SHA256_TEXT]; // hash of the rubric that it was graded by
    ladder_trace trace;              // by what it was graded
    int step_count;                  // of steps
    struct {
        int step;
        ladder_outcome outcome;
        double points, points_max;
    } steps[LADDER_STEPS_MAX]; // in the rubric's order: number, outcome, points
} ladder_row;

// What only a class's runs hold: rows are signed with it (HMAC), so that one that somebody else
// wrote or edited is noticed.
typedef struct ladder_row_key {
    unsigned char bytes[32]; // secret
} ladder_row_key;

// Reads the key of an earlier run from a file that is this user's alone; with `fresh`, or when
// there is none such, makes a new one. *out_made: it is new, and no older row fits it.
kl_status ladder_row_key_open(const char *path, bool fresh, ladder_row_key *out_key, bool *out_made,
                              kl_error *err);

// The trace has the seed alone.
void ladder_row_from(const ladder_result *result, const ladder_lab *lab, ladder_row *out_row);

// What a row's file holds.
typedef enum ladder_row_state {
    LADDER_ROW_GOOD,
    LADDER_ROW_ABSENT,
    LADDER_ROW_FOREIGN // damaged, or not signed with this key
} ladder_row_state;

// The row as a few lines of text in a file, the last one its signature. key NULL: any signature is
// taken (of one's own last grading, which nobody else is graded by).
kl_status ladder_row_write(const ladder_row *row, const ladder_row_key *key, const char *path,
                           kl_error *err);
ladder_row_state ladder_row_read(const char *path, const ladder_row_key *key, ladder_row *out_row);

// Columns: points as graded, what being late costs, an override, the final points; scores of both.
void ladder_class_csv(const ladder_row *rows, size_t count, FILE *out);
// A title in exactly `width` columns, filled with blanks or cut; behind it, in brackets, an id that
// tells it from another one that is equal, or "". The width that both need.
void ladder_put_title(FILE *out, const char *title, const char *id, int width);
int ladder_title_width(const char *title, const char *id);
void ladder_class_table(const ladder_row *rows, size_t count, const kl_style *style, FILE *out);
kl_status ladder_class_json(const ladder_lab *lab, const ladder_row *rows, size_t count, FILE *out,
                            kl_error *err);

// Who handed in what, CSV: name, id of the results, number or name on the course system, time, days
// late, score, final score, why it cannot be read, the student's own due date, the student's name.
// A line per student of a group. list, rows, changes: [count], of the same submissions.
void ladder_class_handed_in(const ladder_submission *list, const ladder_row *rows,
                            const ladder_points_change *changes, size_t count, FILE *out);

// Under a class's table: whose mark is not what was graded, a line each: score before, deduction or
// override, final score.
void ladder_class_changed_table(const ladder_row *rows, size_t count, const kl_style *style,
                                FILE *out);

// ---- run.c --------------------------------------------------------------------------------------
// Grades many submissions: one worker process each, some at a time, results written by the workers.
// A worker that dies takes only its own submission along; a run that is stopped can go on where it
// was.

// A class: what is graded, by which plan, and where results go.
typedef struct ladder_class {
    const ladder_grade_plan *plan;        // of all submissions
    const ladder_submission *submissions; // [count]
    size_t count;                         // submissions
    const ladder_points_change *changes;  // [count]: of the marks; NULL: none
    const ladder_given *given;            // [count]: by persons; NULL: nothing
    const char *output;                   // folder of the results; exists
    const char *work;                     // for private folders; exists, the caller removes it
    const ladder_trace *trace;            // kit and device, for the rows; NULL: no trace in these
    const char *device;                   // for the reports
    int jobs;                             // workers at a time
    unsigned exports; // formats of course/export/export.h that each submission gets, a bit each
    bool resume;      // leave out what is finished and unchanged
    bool part;        // one of several runs into these results: keeps no journal
    bool progress;    // a line on standard error that is written over
    double stuck_s;   // a worker that gives no sign for so long is ended; 0: the usual two minutes
} ladder_class;

// Fills rows: [count]. A row that is not done stands for a submission whose worker could not work;
// one whose worker died is tried once more, and is then the submission's failure if the machine is
// fit.
kl_status ladder_class_run(const ladder_class *class, ladder_row *rows, kl_error *err);
// Reports and rows of a run that has ended get what changes their marks since; rows: [count].
kl_status ladder_class_renew(const ladder_class *class, ladder_row *rows, kl_error *err);

// Fills rows with those of earlier runs, and grades nothing: what is not finished gets a row that
// is not done. resume: as in the class, which says nothing here.
kl_status ladder_class_collect(const ladder_class *class, bool resume, ladder_row *rows,
                               kl_error *err);

// Folder of a submission's results in which its step files lie as they were graded.
#define LADDER_CLASS_FILES "files"

// Path of a submission's file in the results, "report.txt", .., and that of its row, which is the
// class's own; out: [LADDER_PATH].
kl_status ladder_class_path(const char *output, const char *id, const char *file, char *out,
                            kl_error *err);
// As above, of the submission's row.
kl_status ladder_class_row_path(const char *output, const char *id, char *out, kl_error *err);

// ---- run.c: the journal -------------------------------------------------------------------------
// The journal of a class's runs, class/journal in the folder of results: lines are only added, one
// when a run begins, one per submission that begins or ends, one when the run has ended. It says
// what a killed run did, and keeps the seed of its inputs, so that the run that goes on grades on
// the same ones. A finished run's seed is not used again: its reports have told it.

// Takes a folder of results for one run: class/lock names host, process and start of the one that
// writes there. KL_ERROR_SYSTEM names it where it is alive, or on another machine, of which nothing
// is known. One that has died is told to notes, and its place is taken (ladder_lock_take).
kl_status ladder_class_lock(const char *output, FILE *notes, ladder_lock *out_lock, kl_error *err);

// An open journal.
typedef struct ladder_journal {
    int fd;          // of the file, to add lines
    char path[4096]; // of the file, for messages
} ladder_journal;

// What an earlier run left in it.
typedef struct ladder_journal_state {
    bool unfinished; // the last run was killed or stopped
    uint64_t seed;   // of its inputs
    size_t graded;   // submissions that the runs since the last finished one have graded
} ladder_journal_state;

// What the journal of these results says of a run of this lab by its present rubric. One that is
// not there, is damaged, or was not signed with the key of these results says nothing.
ladder_journal_state ladder_journal_read(const char *output, const ladder_lab *lab);

// Begins a run; the key signs what it says of itself. anew: nothing of earlier runs is kept.
// KL_ERROR_SYSTEM names the file.
kl_status ladder_journal_open(const char *output, bool anew, const ladder_lab *lab, uint64_t seed,
                              const ladder_row_key *key, ladder_journal *out_journal,
                              kl_error *err);

// Of a submission: "begin ID".
kl_status ladder_journal_begin(const ladder_journal *journal, const char *id, kl_error *err);
// "graded ID HASH POINTS", "ungradable ID", "lost ID" where no row came; kept: "kept ID", it was
// graded before.
kl_status ladder_journal_end(const ladder_journal *journal, const ladder_row *row, bool kept,
                             kl_error *err);

// finished: every submission has its row.
void ladder_journal_close(ladder_journal *journal, bool finished);

// ---- exports.c ----------------------------------------------------------------------------------
// `--export FORMAT[=FILE]` of `ladder grade`: what was asked for, and what is done about it once
// the submissions are graded.

// What --export asks for.
typedef struct ladder_grade_exports {
    ladder_texts texts;              // as given, one per --export
    const char *roster, *assignment; // of the command line; NULL: not given
    struct {
        ladder_export_format format;
        const char *file;      // NULL: the format's own name, among the results
    } asked[LADDER_TEXTS_MAX]; // [texts.count], as read
    unsigned formats;          // of the files that each submission gets, a bit each
    bool to_stdout;            // one goes there, and words for people do not
} ladder_grade_exports;

// The graded submissions.
typedef struct ladder_grade_results {
    const ladder_lab *lab;                // whose submissions were graded
    const char *output;                   // folder of the results
    const ladder_submission *submissions; // [count]
    const ladder_row *rows;               // [count], of the same submissions
    size_t count;                         // submissions
    bool class;                           // --submissions
} ladder_grade_results;

// Reads the texts; before anything is graded. KL_ERROR_USAGE for what cannot be done.
kl_status ladder_grade_exports_read(ladder_grade_exports *exports, bool class, kl_error *err);

// Writes the tables of the class, a line per student, and says where they lie. *out_exported
// becomes false where a mark found no student.
kl_status ladder_grade_exports_tables(const ladder_grade_exports *exports,
                                      const ladder_grade_results *results, bool *out_exported,
                                      kl_error *err);

// Copies the files of a submission that were named, and says where all of them lie. *out_exported
// becomes false where a file could not say what became of its submission.
kl_status ladder_grade_exports_put(const ladder_grade_exports *exports,
                                   const ladder_grade_results *results, bool *out_exported,
                                   kl_error *err);
