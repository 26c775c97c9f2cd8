// What a lab has besides its steps: bug hunts, builds for the debugger, other programs.
#pragma once

#include "grade/rubric/lab_files.h"
#include "utilities/options.h"

// ---- programs.c: bugs ---------------------------------------------------------------------------
// Bug hunts of a lab, which ladder_bug_find (lab_files.h) finds by name.

// Builds the program and gives its path; out_program: [LADDER_PATH]. KL_ERROR_INPUT when it does
// not compile.
kl_status ladder_bug_build(const ladder_kit *kit, const ladder_lab *lab, const char *stem,
                           bool solution, char *out_program, kl_error *err);

// ---- debug_build.c ------------------------------------------------------------------------------
// Steps and bug hunts compiled for the debugger, with nvcc -G: the code is not optimised, and the
// PTX in it tells names of variables. Beside the kit's own builds, in <build>/labs/LAB/debug.

// Compiles a step, unless what was compiled before is newer than all its sources. out_folder:
// [LADDER_PATH], where its step_<n>.so lies: what the lab's program takes as --steps-from.
// KL_ERROR_INPUT, with the compiler's first error, when it does not compile.
kl_status ladder_debug_build_step(const ladder_kit *kit, const ladder_lab *lab,
                                  const kl_step_info *step, bool solution, char *out_folder,
                                  kl_error *err);

// Likewise a bug hunt (programs.c); out_program: [LADDER_PATH].
kl_status ladder_debug_build_bug(const ladder_kit *kit, const ladder_lab *lab, const char *stem,
                                 bool solution, char *out_program, kl_error *err);

// ---- programs.c ---------------------------------------------------------------------------------
// What the command line of `ladder run` said, for the program with the ladder (commands/run.c) and
// for the programs beside it (programs.c).

// A program beside the ladder: --micro, --grid, ..
typedef enum ladder_other_program {
#define OTHER_PROGRAM(name, what, takes, help) LADDER_OTHER_##name,
#include "learn/extras/programs.def"
#undef OTHER_PROGRAM
    LADDER_OTHER_PROGRAMS
} ladder_other_program;

// The command line, as it was given.
typedef struct ladder_run_options {
    // those that the lab's program has, too; NULL: not given
#define LADDER_TYPE_FLAG                                       bool
#define LADDER_TYPE_TEXT                                       const char *
#define RUN_OPTION(member, takes, reads, name, argument, help) LADDER_TYPE_##takes member;
#define LAB_OPTION(member, takes, reads, name, argument, help)
#include "run_options.def"
#undef RUN_OPTION
#undef LAB_OPTION
    const char *device, *devices, *resident; // NULL: not given
    bool other[LADDER_OTHER_PROGRAMS];       // --micro, --grid, ..
    int steps[LADDER_POSITIONALS];           // [step_count] that were asked for
    int step_count;                          // 0: all
    bool all;                                // of a command without steps
    char **after_dashes;                     // [after_count]: what follows "--"
    int after_count;                         // of after_dashes
} ladder_run_options;

// The program beside the ladder that is asked for, or LADDER_OTHER_PROGRAMS. KL_ERROR_USAGE for
// more than one, and for options that the program does not take.
kl_status ladder_run_other_choose(const ladder_run_options *options,
                                  ladder_other_program *out_program, kl_error *err);

// The arguments of a lab's program that takes these options (bits, programs.def; all of them: the
// lab's own), behind its name.
#define LADDER_ALL_OPTIONS (~0U)
kl_status ladder_run_arguments(const ladder_run_options *options, unsigned takes,
                               ladder_program_args *args, kl_error *err);

// Builds the program and starts it in place of this one; comes back only when that fails.
kl_status ladder_run_other_start(const ladder_kit *kit, const ladder_lab *lab,
                                 ladder_other_program program, const ladder_run_options *options,
                                 kl_error *err);
