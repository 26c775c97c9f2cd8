// SPDX-License-Identifier: MIT
// Differences between two texts by lines: the longest common subsequence, printed one below the
// other or side by side. For two step files that a person reads, not for large files.
#ifndef LADDER_LESSON_DIFF_H
#define LADDER_LESSON_DIFF_H

#include <stddef.h>
#include <stdio.h>

#include "learn/lesson/source.h"
#include "error.h"
#include "table.h"

// Whether a line is in both texts, only in a, or only in b.
typedef enum ladder_edit { LADDER_SAME, LADDER_REMOVED, LADDER_ADDED } ladder_edit;

// A line of the difference.
typedef struct ladder_diff_line {
    ladder_edit edit;   // where it is
    int left, right;    // line numbers from 1 in a and b; 0 where it has none
    const char *text;   // not terminated; of a line that stays, as b has it
    int bytes;          // without the newline
    const char *before; // of a line that stays, as a has it; NULL: only in another layout
    int before_bytes;   // without the newline
} ladder_diff_line;

// The difference of two texts.
typedef struct ladder_diff {
    ladder_diff_line *lines; // [count], from top to bottom
    size_t count;            // of lines
    int removed, added;      // lines
    ladder_renames renames;  // names that differ and mean the same
} ladder_diff;

// a, b: terminated texts that outlive the result. Lines whose first words are `skip` (NULL: none)
// are left out, but counted, as are the prologues of both. What differs in layout, in comments or
// by the name of a kernel alone stays (source.h). KL_ERROR_LIMIT above LADDER_SOURCE_MAX_LINES.
kl_status ladder_diff_make(const char *a, const char *b, const char *skip, ladder_diff *out_diff,
                           kl_error *err);
void ladder_diff_free(ladder_diff *diff);

// One below the other, `context` unchanged lines around each change.
void ladder_diff_print(const ladder_diff *diff, int context, const kl_style *style, FILE *out);

// Two columns of style->width / 2. Lines that are too long take several rows, here and above.
void ladder_diff_print_columns(const ladder_diff *diff, int context, const kl_style *style,
                               FILE *out);

#endif
