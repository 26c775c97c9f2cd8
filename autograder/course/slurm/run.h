// SPDX-License-Identifier: MIT
// A class as an array job of Slurm: submits what is missing, waits, collects. Everything that a
// task leaves lies where a local run puts it, and is read again by course/class/run.h; so a run
// that was stopped anywhere goes on with what is there.
#ifndef LADDER_SLURM_RUN_H
#define LADDER_SLURM_RUN_H

#include "course/class/run.h"
#include "course/slurm/work.h"
#include "course/slurm/script.h"

// A class to be graded as a job.
typedef struct ladder_slurm_job {
    const ladder_class *class;           // plan: kit, lab and the seed of its cases
    const ladder_slurm_options *options; // of the command line
    const char *const *words;            // [word_count] what tasks are told beside their work
    int word_count;                      // of `words`
    double submission_s; // longest time of one submission on the clock, for the time limit
} ladder_slurm_job;

// Where the next job's files go: OUTPUT/class/slurm/N, made if `make`. out: [LADDER_PATH].
kl_status ladder_slurm_folder(const char *output, bool make, char *out, kl_error *err);

// The seed of the newest job into these results; false when there is none.
bool ladder_slurm_seed(const char *output, uint64_t *out_seed);

// Prints to `out` the script that ladder_slurm_run would submit, with the estimate on standard
// error. `folder`: as of ladder_slurm_folder.
kl_status ladder_slurm_dry_run(const ladder_slurm_job *job, const char *folder, FILE *out,
                               kl_error *err);

// Fills rows: [class->count]. A row that is not done stands for a submission whose task left no
// result: which, and why, was told on standard error. With class->resume a job of an earlier run
// that still goes on is waited for, and what is finished and unchanged is not submitted.
kl_status ladder_slurm_run(const ladder_slurm_job *job, const char *folder, ladder_row *rows,
                           kl_error *err);

// In a task: what it has to grade. Its number is in the environment. KL_ERROR_SYSTEM with what
// to do when this node does not see the files, or when a later run took the job's place.
kl_status ladder_slurm_task(const char *folder, const char *output, ladder_slurm_work *out_work,
                            kl_error *err);

// Processors that a task may use; `otherwise` when Slurm does not say.
long ladder_slurm_processors(long otherwise);

#endif
