// SPDX-License-Identifier: MIT
// The checker beside `ladder run`: a process of its own, which looks at one small case of each
// step.
#ifndef LADDER_FINDINGS_RUN_CHECK_H
#define LADDER_FINDINGS_RUN_CHECK_H

#include "grade/rubric/lab_files.h"

// Starts it for these steps (count 0: all). It waits until the lab's program, which this process
// will exec, allows it. Returns the program's end of the socket, for --side-check; -1 when there
// can be no check.
int ladder_run_check_start(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                           int count, bool solution);

#endif
