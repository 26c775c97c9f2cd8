// SPDX-License-Identifier: MIT
// Differences between two texts by lines: the longest common subsequence, printed one below the
// other or side by side. For two step files that a person reads, not for large files.
#ifndef LADDER_COMMANDS_LINE_DIFF_H
#define LADDER_COMMANDS_LINE_DIFF_H

#include <stddef.h>
#include <stdio.h>

#include "error.h"
#include "table.h"

typedef enum ladder_edit { LADDER_SAME, LADDER_REMOVED, LADDER_ADDED } ladder_edit;

typedef struct ladder_diff_line {
    ladder_edit edit;
    int left, right;  // line numbers from 1 in a and b; 0 where it has none
    const char *text; // not terminated
    int bytes;        // without the newline
} ladder_diff_line;

typedef struct ladder_diff {
    ladder_diff_line *lines;
    size_t count;
    int removed, added;
} ladder_diff;

enum { LADDER_DIFF_MAX_LINES = 5000 };

// a, b: terminated texts that outlive the result. Lines whose first words are `skip` (NULL: none)
// are left out, but counted. KL_ERROR_LIMIT above LADDER_DIFF_MAX_LINES.
kl_status ladder_diff_make(const char *a, const char *b, const char *skip, ladder_diff *out_diff,
                           kl_error *err);
void ladder_diff_free(ladder_diff *diff);

// One below the other, `context` unchanged lines around each change.
void ladder_diff_print(const ladder_diff *diff, int context, const kl_style *style, FILE *out);

// Two columns of style->width / 2; lines that are too long take several rows.
void ladder_diff_print_columns(const ladder_diff *diff, int context, const kl_style *style,
                               FILE *out);

#endif
