// SPDX-License-Identifier: MIT
// The checker beside `ladder run`: a process of its own, which looks at one small case of each
// step.
#ifndef LADDER_FINDINGS_RUN_CHECK_H
#define LADDER_FINDINGS_RUN_CHECK_H

#include "grade/rubric/lab_files.h"

// Starts it. It checks the steps that the lab's program asks for over the socket, of which the
// program's end is returned, for --side-check; -1 when there can be no check.
int ladder_run_check_start(const ladder_kit *kit, const ladder_lab *lab, bool solution);

// What it checks of a step: the largest of the lab's quick cases that takes a moment; NULL: none.
// *out_all: all of them together are not much more, and have the sizes at which blocks are partly
// filled.
const kl_suite_entry *ladder_run_check_case(const kl_problem *problem, int step, bool *out_all);

#endif
