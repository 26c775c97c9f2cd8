// SPDX-License-Identifier: MIT
// The main program of every lab: options, device, checks, timing, the ladder table, JSON.
#ifndef KL_LAB_MAIN_H
#define KL_LAB_MAIN_H

#include <stdbool.h>

#include "call.h"
#include "problem.h"
#include "user_file.h"

// support: NULL for a lab that takes no files of the user's. has_vendor: --vendor has a library to
// compare with; without one it is said that there is none, and the rest is run. Returns the exit
// status: 0 when all is well, 1 when a step is wrong, 2 when nothing could be run.
int kl_lab_main(int argc, char **argv, const kl_problem *problem, const kl_adapter *adapter,
                const kl_file_support *support, bool has_vendor);

#endif
