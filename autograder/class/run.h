// SPDX-License-Identifier: MIT
// Grades many submissions: one worker process each, some at a time, results written by the workers.
// A worker that dies takes only its own submission along; a run that is stopped can go on where it
// was.
#ifndef LADDER_CLASS_RUN_H
#define LADDER_CLASS_RUN_H

#include "class/rows.h"
#include "judge/grade.h"

typedef struct ladder_class_job {
    const ladder_judge *judge;
    const ladder_submission *submissions;
    size_t count;
    const char *output;          // folder of the results; exists
    const char *work;            // folder for private folders; exists, the caller removes it
    const char *baseline_folder; // or NULL
    const char *device;          // for the reports
    int jobs;                    // workers at a time
    bool resume;                 // leave out what is finished and unchanged
    bool progress;               // a line on standard error that is written over
} ladder_class_job;

// Fills rows: [count]. A row that is not done stands for a submission whose worker failed.
kl_status ladder_class_run(const ladder_class_job *job, ladder_row *rows, kl_error *err);

// Path of a submission's file in the results: "report.txt", "row.txt", ..; out: [LADDER_PATH].
kl_status ladder_class_path(const char *output, const char *id, const char *file, char *out,
                            kl_error *err);

#endif
