// SPDX-License-Identifier: MIT
// Waiting for the tasks of an array job.
#ifndef LADDER_SLURM_WATCH_H
#define LADDER_SLURM_WATCH_H

#include "course/slurm/queue.h"

// Told after each look: how many tasks wait and run.
typedef void ladder_slurm_progress(void *context, size_t waiting, size_t running);

// Returns when no task of the job is left in Slurm's queue; states: [count], zeroed at first. An
// answer that fails to come is waited for, for many minutes: the controller may be starting anew.
kl_status ladder_slurm_wait(long long job, ladder_slurm_state *states, size_t count,
                            ladder_slurm_progress *progress, void *context, kl_error *err);

// Whether any of `count` tasks still waits or runs; Slurm must answer.
kl_status ladder_slurm_is_alive(long long job, size_t count, bool *out_alive, kl_error *err);

#endif
