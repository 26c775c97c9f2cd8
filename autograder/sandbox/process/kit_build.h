// Brings parts of the kit's own build folder up to date (not for submissions: those have
// grade/submission/submission.h).
#pragma once

#include "table.h"
#include "utilities/kit.h"

// ---- kit_build.c --------------------------------------------------------------------------------

enum { LADDER_TARGETS_MAX = 40 };

// Builds targets in the kit's build folder. A target that fails does not hold up the others; what
// the compiler said, warnings too, is printed to standard error without the build tool's noise.
// *out_failed:
// something did not build.
kl_status ladder_kit_build(const ladder_kit *kit, const char *const *targets, int count,
                           bool *out_failed, kl_error *err);

// What a build is asked, and what it found out.
typedef struct ladder_kit_building {
    FILE *messages; // where the compiler's words go
    // Asked several times a second; true: the build is given up. NULL: never.
    bool (*is_over)(void *context);
    void *context;     // of is_over
    bool over, failed; // it was given up; something did not build
} ladder_kit_building;

// The same for a command that has something else to do meanwhile, and prints nothing by itself.
kl_status ladder_kit_build_until(const ladder_kit *kit, const char *const *targets, int count,
                                 ladder_kit_building *building, kl_error *err);

// ---- the messages of a build --------------------------------------------------------------------
// What of a build's output a student needs: the compiler's words on their own files.

// Prints it, with paths below the kit's folder `source`. Left out: the build tool's own lines;
// warnings on the kit's files and on steps as they were handed out; what is behind the first 40
// lines, counted. Where a message does not say what is wrong, a hint follows. Takes `output` apart.
void ladder_build_messages(const char *source, char *output, FILE *out);
// Shows what it printed: messages and hints are wrapped, lines of source stand as they are.
void ladder_put_messages(const char *text, const kl_style *style, FILE *out);
