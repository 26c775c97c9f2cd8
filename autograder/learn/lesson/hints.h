// SPDX-License-Identifier: MIT
// Tiered hints of a lab: finds them in hints.md and remembers how many a student has seen.
// hints.md has headings "## Step N" and, below each, "### Hint K" (K = 1, 2, ..).
#ifndef LADDER_LESSON_HINTS_H
#define LADDER_LESSON_HINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

enum { LADDER_HINTS_MAX = 16 }; // of one step

// Hints of one step, in order, as slices of the text they were found in; blank ends cut off.
typedef struct ladder_hints {
    int count; // of hints
    struct {
        const char *text;
        size_t bytes;
    } hints[LADDER_HINTS_MAX]; // not terminated
} ladder_hints;

// KL_ERROR_INPUT when hints are out of order or too many. A step without hints gives count 0.
kl_status ladder_hints_find(const char *markdown, int step, ladder_hints *out_hints, kl_error *err);

// How many hints of a step have been shown, kept in the text file `path`, one line "lab step count"
// each. A file that is not there counts as empty; a line that makes no sense is ignored.
int ladder_hints_seen(const char *path, const char *lab, int step);
// Replaces the file in one rename. count 0 removes the line; step -1 stands for all steps of the
// lab.
kl_status ladder_hints_remember(const char *path, const char *lab, int step, int count,
                                kl_error *err);

#endif
