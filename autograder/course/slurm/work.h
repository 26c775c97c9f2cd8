// SPDX-License-Identifier: MIT
// What the tasks of an array job have to grade: a file in the folder that all nodes share. It holds
// the secret seed, so that all submissions of one run meet the same inputs; nobody but its owner
// can read it.
#ifndef LADDER_SLURM_WORK_H
#define LADDER_SLURM_WORK_H

#include <stdint.h>

#include "grade/rubric/points.h"
#include "grade/submission/submission.h"

// The work of all tasks of a job, or of one of them.
typedef struct ladder_slurm_work {
    uint64_t seed;                 // secret; of the inputs
    size_t chunk;                  // submissions per task
    ladder_submission *list;       // [count]
    ladder_points_change *changes; // [count]: of their marks
    size_t count;                  // of list and changes
} ladder_slurm_work;

// Writes the file, for its owner alone. KL_ERROR_SYSTEM names it.
kl_status ladder_slurm_work_write(const char *path, const ladder_slurm_work *work, kl_error *err);

// Reads what one task has to grade: out_work->list and changes are [count <= chunk], which the
// caller frees. KL_ERROR_INPUT when there is no such file here, it is damaged, or it has no such
// task.
kl_status ladder_slurm_work_read(const char *path, uint64_t task, ladder_slurm_work *out_work,
                                 kl_error *err);

// The seed of a job's work; false when there is none.
bool ladder_slurm_work_seed(const char *path, uint64_t *out_seed);

#endif
