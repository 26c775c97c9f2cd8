// SPDX-License-Identifier: MIT
// `--slurm` of `ladder grade`, and `--slurm-task`, which its job's tasks use.
#ifndef LADDER_SLURM_REQUEST_H
#define LADDER_SLURM_REQUEST_H

#include "utilities/options.h"
#include "course/slurm/queue.h"
#include "course/slurm/run.h"

// What the command line says.
typedef struct ladder_slurm_request {
    bool wanted, dry_run;         // --slurm; --dry-run
    const char *task;             // folder of the job whose task this is, or NULL
    ladder_slurm_options options; // of the job
    ladder_texts more;            // --sbatch
} ladder_slurm_request;

// Checks what was given; before anything is done. KL_ERROR_USAGE for what makes no sense.
kl_status ladder_slurm_request_read(ladder_slurm_request *slurm, const char *submissions,
                                    const char *output, kl_error *err);

// A path as tasks, which start elsewhere, can use it: from the root. path: [LADDER_PATH].
kl_status ladder_slurm_absolute(char *path, kl_error *err);

// Finds (and makes, but for a dry run) the job's folder; `output` becomes absolute. Both:
// [LADDER_PATH].
kl_status ladder_slurm_request_open(const ladder_slurm_request *slurm, char *output,
                                    char *out_folder, kl_error *err);

#endif
