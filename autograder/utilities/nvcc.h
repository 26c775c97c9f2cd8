// SPDX-License-Identifier: MIT
// The command line of nvcc that every object of a step starts with, wherever `ladder` builds one:
// the flags of the kit's own build (common/cmake, CMake's Release flags for nvcc).
#ifndef LADDER_KIT_NVCC_H
#define LADDER_KIT_NVCC_H

#include <stdbool.h>

#include "ladder_config.h"

enum { LADDER_NVCC_ARGUMENTS = 32 }; // that ladder_nvcc_begin writes at most

// Flags that CMake gave the kit's own build, ended by NULL.
extern const char *const ladder_nvcc_flags[];

// What steps are compiled for at least where no GPU runs them, compute capability times 10: the
// code that thresholds are of. So a score does not depend on the card that the kit was built for.
enum { LADDER_SIMULATED_SM = 90 };

// The flag for machine code and PTX: of the build's own architecture, or of needs_sm (kl_step_info)
// where that is later. exact: with the features that only needs_sm itself has (kl_step_info), such
// as sm_90a.
const char *ladder_nvcc_architecture(int needs_sm, bool exact);
// Writes the compiler's path and the flags to argv; returns their number. The caller adds what to
// make of which file.
int ladder_nvcc_begin(int needs_sm, bool exact, const char **argv);

// A grader is about to run the compiler: adds a byte to the file that LADDER_COMPILED names, if it
// is set. So tests count what they compile (autograder/tests/support/budget.sh).
void ladder_nvcc_count(void);

#endif
