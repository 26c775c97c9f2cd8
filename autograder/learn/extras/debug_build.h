// SPDX-License-Identifier: MIT
// Steps and bug hunts compiled for the debugger, with nvcc -G: the code is not optimised, and the
// PTX in it tells names of variables. Beside the kit's own builds, in <build>/labs/LAB/debug.
#ifndef LADDER_EXTRAS_DEBUG_BUILD_H
#define LADDER_EXTRAS_DEBUG_BUILD_H

#include "grade/rubric/lab_files.h"

// Compiles a step, unless what was compiled before is newer than all its sources. out_folder:
// [LADDER_PATH], where its step_<n>.so lies: what the lab's program takes as --steps-from.
// KL_ERROR_INPUT, with the compiler's first error, when it does not compile.
kl_status ladder_debug_build_step(const ladder_kit *kit, const ladder_lab *lab,
                                  const kl_step_info *step, bool solution, char *out_folder,
                                  kl_error *err);

// Likewise a bug hunt (bugs.h); out_program: [LADDER_PATH].
kl_status ladder_debug_build_bug(const ladder_kit *kit, const ladder_lab *lab, const char *stem,
                                 bool solution, char *out_program, kl_error *err);

#endif
