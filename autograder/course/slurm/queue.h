// SPDX-License-Identifier: MIT
// Slurm's programs: sbatch, squeue and, where the site keeps accounts, sacct. What they print is
// read by the options that their manuals promise to be stable; nothing else of Slurm is needed.
#ifndef LADDER_SLURM_QUEUE_H
#define LADDER_SLURM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

// State of one task of an array job.
typedef enum ladder_slurm_state {
#define SLURM_STATE(name, kind, text) LADDER_SLURM_##name,
#include "course/slurm/states.def"
#undef SLURM_STATE
    LADDER_SLURM_UNKNOWN, // Slurm has forgotten it
    LADDER_SLURM_NEVER    // the same, and it was not seen at work
} ladder_slurm_state;

// What a state means for those who wait.
typedef enum ladder_slurm_kind {
    LADDER_SLURM_KIND_WAITING,
    LADDER_SLURM_KIND_RUNNING,
    LADDER_SLURM_KIND_ENDED,
    LADDER_SLURM_KIND_FAILED,
    LADDER_SLURM_KIND_LOST
} ladder_slurm_kind;

// UNKNOWN and NEVER have ended.
ladder_slurm_kind ladder_slurm_kind_of(ladder_slurm_state state);
// What a task in this state does or did: "lost its node".
const char *ladder_slurm_state_text(ladder_slurm_state state);

// Whether jobs can be submitted from here: KL_ERROR_SYSTEM with what to do when there is no sbatch.
kl_status ladder_slurm_present(kl_error *err);

// Submits a script. KL_ERROR_SYSTEM without sbatch, KL_ERROR_INPUT with Slurm's words when it
// refuses the job.
kl_status ladder_slurm_submit(const char *script, long long *out_job, kl_error *err);

// Writes the states of the tasks 0 .. count-1 of an array job; those that squeue does not list any
// more keep what `states` says, but for running ones, which become UNKNOWN, and waiting ones, which
// become NEVER: Slurm forgets an array's task at once that is cancelled before it runs.
// *out_answered false: Slurm gives no answer now, states is unchanged, and *err says why.
kl_status ladder_slurm_look(long long job, ladder_slurm_state *states, size_t count,
                            bool *out_answered, kl_error *err);

// Asks sacct what became of UNKNOWN and NEVER tasks. Best effort: not every site keeps accounts.
void ladder_slurm_ask_accounts(long long job, ladder_slurm_state *states, size_t count);

// watch.c: waiting for the tasks of an array job.

// Told after each look: how many tasks wait and run.
typedef void ladder_slurm_progress(void *context, size_t waiting, size_t running);

// Returns when no task of the job is left in Slurm's queue; states: [count], zeroed at first. An
// answer that fails to come is waited for, for many minutes: the controller may be starting anew.
kl_status ladder_slurm_wait(long long job, ladder_slurm_state *states, size_t count,
                            ladder_slurm_progress *progress, void *context, kl_error *err);

// Whether any of `count` tasks still waits or runs; Slurm must answer.
kl_status ladder_slurm_is_alive(long long job, size_t count, bool *out_alive, kl_error *err);

#endif
