// SPDX-License-Identifier: MIT
// Whether the machine itself can grade: asked when something broke off, to tell whose fault it is.
// A limit of time is stated for a machine of usual speed. On a slower one it is longer by a
// measured factor, and what reaches it there is not graded.
#ifndef LADDER_PROCESS_MACHINE_H
#define LADDER_PROCESS_MACHINE_H

#include <stdbool.h>

#include "error.h"

// KL_OK, or KL_ERROR_SYSTEM with what is missing: room for files in the folder, memory, a process.
kl_status ladder_machine_fit(const char *folder, kl_error *err);

// How many times as much processor time the same work takes here as on a machine of usual speed: 1,
// or a power of two. Limits of time are multiplied by it. Takes some milliseconds.
double ladder_machine_slowness(void);
// Whether a limit of time that was reached says nothing of the submission: the machine was slow
// when the grading began (slowness: measured then; 0: not measured, usual speed) or is slow now.
bool ladder_machine_too_slow(double slowness);
// The factor of limits for what was measured then: at least 1.
double ladder_machine_factor(double slowness);

#endif
