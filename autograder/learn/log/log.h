// SPDX-License-Identifier: MIT
// The work log of a lab, labs/LAB/steps/log.md: of each step what it changed, what was predicted,
// counted and timed, and a place for the student's own words. Made from what the kit keeps of the
// student's runs; nothing is built or run. It is handed in with the steps, and is no proof.
#ifndef LADDER_LOG_LOG_H
#define LADDER_LOG_LOG_H

#include <stdio.h>

#include "grade/rubric/lab_files.h"

// before: the log as it was, whose own words are kept; NULL: there was none. *out_steps: those that
// it is about, given ones not counted.
kl_status ladder_log_write(const ladder_kit *kit, const ladder_lab *lab, const char *before,
                           FILE *out, int *out_steps, kl_error *err);

// The student's file; out: [LADDER_PATH].
kl_status ladder_log_path(const ladder_kit *kit, const ladder_lab *lab, char *out, kl_error *err);

#endif
