// SPDX-License-Identifier: MIT
// How far a class is, as one line of a terminal.
#ifndef LADDER_CLASS_PROGRESS_H
#define LADDER_CLASS_PROGRESS_H

#include <stddef.h>

typedef struct ladder_progress {
    size_t count;      // submissions
    size_t finished;   // of which
    size_t graded;     // of these, in this run: the others were graded before and cost nothing
    double seconds;    // since this run began
    const char *title; // the last one
} ladder_progress;

// "about 12 min left": what is left at the rate of this run; "" while nothing tells. Returns text.
char *ladder_progress_left(const ladder_progress *progress, char *text, size_t text_bytes);

// "graded 12 of 200  [####......]  about 12 min left  ann", at most `width` columns. Returns text.
char *ladder_progress_line(const ladder_progress *progress, int width, char *text,
                           size_t text_bytes);

#endif
