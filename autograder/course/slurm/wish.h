// SPDX-License-Identifier: MIT
// `--slurm` of `ladder grade`, and `--slurm-task`, which its job's tasks use.
#ifndef LADDER_SLURM_WISH_H
#define LADDER_SLURM_WISH_H

#include "utilities/options.h"
#include "course/slurm/queue.h"
#include "course/slurm/run.h"

// What the command line says.
typedef struct ladder_slurm_wish {
    bool wanted, dry_run;         // --slurm; --dry-run
    const char *task;             // folder of the job whose task this is, or NULL
    ladder_slurm_options options; // of the job
    ladder_texts more;            // --sbatch
    char folder[LADDER_PATH];     // of the job, once it is open
} ladder_slurm_wish;

// Checks what was given; before anything is done. KL_ERROR_USAGE for what makes no sense.
kl_status ladder_slurm_wish_read(ladder_slurm_wish *slurm, const char *submissions,
                                 const char *output, kl_error *err);

// A path as tasks, which start elsewhere, can use it: from the root. path: [LADDER_PATH].
kl_status ladder_slurm_wish_absolute(char *path, kl_error *err);

// Finds (and makes, but for a dry run) the job's folder; `output` becomes absolute.
kl_status ladder_slurm_wish_open(ladder_slurm_wish *slurm, char *output, kl_error *err);

#endif
