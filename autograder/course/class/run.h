// SPDX-License-Identifier: MIT
// Grades many submissions: one worker process each, some at a time, results written by the workers.
// A worker that dies takes only its own submission along; a run that is stopped can go on where it
// was.
#ifndef LADDER_CLASS_RUN_H
#define LADDER_CLASS_RUN_H

#include "course/class/rows.h"
#include "grade/judge/plan.h"

// A class: what is graded, by which plan, and where results go.
typedef struct ladder_class {
    const ladder_grade_plan *plan;        // of all submissions
    const ladder_submission *submissions; // [count]
    size_t count;                         // submissions
    const ladder_points_change *changes;  // [count]: of the marks; NULL: none
    const ladder_given *given;            // [count]: by persons; NULL: nothing
    const char *output;                   // folder of the results; exists
    const char *work;                     // for private folders; exists, the caller removes it
    const ladder_trace *trace;            // kit, device and sandbox, for the rows; NULL: not told
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
// Version of the kit, and a hash of the programs that decide: judge with problems and rubrics,
// engine, runner, the lab's adapter. "0.1.0 4f5c..".
kl_status ladder_class_programs(const ladder_kit *kit, const ladder_lab *lab, char *out,
                                size_t out_bytes, kl_error *err);

// As above, of the submission's row.
kl_status ladder_class_row_path(const char *output, const char *id, char *out, kl_error *err);

#endif
