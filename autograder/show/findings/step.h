// SPDX-License-Identifier: MIT
// The checker on one step of a lab, as `ladder check` and `ladder profile --check` ask for it.
#ifndef LADDER_FINDINGS_STEP_H
#define LADDER_FINDINGS_STEP_H

#include "show/findings/checks.h"

// What the command line says of the check.
typedef struct ladder_check_request {
    bool solution;                     // the solution's step instead of the student's
    const char *size, *family, *order; // NULL: the lab's quick cases, all kinds, the usual order
    int64_t max_instructions;          // -1: not given
} ladder_check_request;

// Options for a program that is no lab's. foreground: its output goes to the terminal.
ladder_checks_options ladder_check_program_options(const ladder_check_request *request,
                                                   bool foreground);

// progress: what is checked, "step 3". The step must have been built. Free the checks with
// ladder_checks_free, also after a failure.
kl_status ladder_check_step(const ladder_kit *kit, const ladder_lab *lab, int step,
                            const ladder_check_request *request, const char *progress,
                            ladder_checks *out_checks, kl_error *err);

#endif
