// SPDX-License-Identifier: MIT
// What the command line of `ladder run` said, for the program with the ladder (commands/run.c) and
// for the programs beside it (programs.c).
#ifndef LADDER_EXTRAS_PROGRAMS_H
#define LADDER_EXTRAS_PROGRAMS_H

#include "utilities/options.h"
#include "grade/rubric/lab_files.h"

// A program beside the ladder: --micro, --grid, ..
typedef enum ladder_other_program {
#define OTHER_PROGRAM(name, what, takes, help) LADDER_OTHER_##name,
#include "learn/extras/programs.def"
#undef OTHER_PROGRAM
    LADDER_OTHER_PROGRAMS
} ladder_other_program;

// The command line, as it was given.
typedef struct ladder_run_options {
    bool solution, check_only, quick, vendor, bench, tables; // flags of these names
    bool other[LADDER_OTHER_PROGRAMS];                       // --micro, --grid, ..
    // options with a text; NULL: not given
    const char *device, *resident, *size, *family, *matrix, *plots, *repeat, *seed, *timeout, *json;

    int steps[LADDER_POSITIONALS]; // [step_count] that were asked for
    int step_count;                // 0: all
    char **after_dashes;           // [after_count]: what follows "--"
    int after_count;               // of after_dashes
} ladder_run_options;

// The program beside the ladder that is asked for, or LADDER_OTHER_PROGRAMS. KL_ERROR_USAGE for
// more than one, and for options that the program does not take.
kl_status ladder_run_other_choose(const ladder_run_options *options,
                                  ladder_other_program *out_program, kl_error *err);

// Builds the program and starts it in place of this one; comes back only when that fails.
kl_status ladder_run_other_start(const ladder_kit *kit, const ladder_lab *lab,
                                 ladder_other_program program, const ladder_run_options *options,
                                 kl_error *err);

#endif
