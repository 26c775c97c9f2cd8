// SPDX-License-Identifier: MIT
// Where the parts of this kit lie: source tree, build folder, programs and libraries in it.
#ifndef LADDER_UTILITIES_KIT_H
#define LADDER_UTILITIES_KIT_H

#include "utilities/files.h"

// A kit that was built.
typedef struct ladder_kit {
    char source[LADDER_PATH]; // the kit's top folder
    char build[LADDER_PATH];  // the build folder that this program lies in
} ladder_kit;

// The kit that this program belongs to: the build folder is two above the program.
// LADDER_KIT=FOLDER, for tests: that kit and the folder `build` in it.
kl_status ladder_kit_find(ladder_kit *out_kit, kl_error *err);

// Whether this kit is what `ladder handout` wrote: it has no tests, and solutions as they are
// released.
bool ladder_kit_is_handout(const ladder_kit *kit);

// Paths in the build folder; out: [LADDER_PATH]. KL_ERROR_SYSTEM when the file is not there.
kl_status ladder_kit_simulator(const ladder_kit *kit, char *out_folder, kl_error *err);
kl_status ladder_kit_engine(const ladder_kit *kit, char *out, kl_error *err);
kl_status ladder_kit_runner(const ladder_kit *kit, char *out, kl_error *err);
// Of the lab in this folder, "02_reduction": what calls its steps.
kl_status ladder_kit_adapter(const ladder_kit *kit, const char *lab, char *out, kl_error *err);

#endif
