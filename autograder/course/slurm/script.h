// SPDX-License-Identifier: MIT
// The script of an array job: one task per submission, or per chunk of them.
#ifndef LADDER_SLURM_SCRIPT_H
#define LADDER_SLURM_SCRIPT_H

#include <stdint.h>
#include <stdio.h>

#include "error.h"

// What a command line says about the job; NULL and 0: the site's default, or this kit's.
typedef struct ladder_slurm_options {
    const char *partition, *account; // of the cluster
    const char *time_limit;          // as sbatch takes it: minutes, H:MM:SS, D-HH:MM:SS
    int64_t gpus, chunk;             // of a task
    const char *const *more;         // [more_count] options of sbatch as they are
    int more_count;                  // of more
} ladder_slurm_options;

// Values go into lines of the script: KL_ERROR_USAGE for one that would not stay in its own.
kl_status ladder_slurm_options_check(const ladder_slurm_options *options, kl_error *err);

// What the script is written from.
typedef struct ladder_slurm_script {
    const ladder_slurm_options *options; // of the command line
    const char *program, *lab;           // `program grade lab` is what a task runs
    const char *folder;                  // of this job: work.txt and log/
    const char *output;                  // of the results
    const char *const *words;            // [word_count] more words of that command
    int word_count;                      // of words
    size_t tasks, submissions, chunk;    // of the job; submissions per task
    long minutes;                        // time limit of a task, where the options have none
} ladder_slurm_script;

// Writes the script; what could not be written is seen in the stream.
void ladder_slurm_script_write(const ladder_slurm_script *script, FILE *out);

#endif
