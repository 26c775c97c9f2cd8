// SPDX-License-Identifier: MIT
// A step file as `ladder diff` compares it: without what every step has. The prologue (comments and
// empty lines before the first line of code) is left out, as are the skeleton's checksum, its texts
// of what is to be written and the lines about IMPLEMENTED; an include stays if the other file does
// not have it. A line's key is its text without layout and without a comment behind it, in which
// the names of kernels and entry functions that only one of the files has are the same in both.
#ifndef LADDER_LESSON_SOURCE_H
#define LADDER_LESSON_SOURCE_H

#include <stdbool.h>

#include "error.h"

enum { LADDER_SOURCE_MAX_LINES = 5000, LADDER_RENAMES_MAX = 16, LADDER_NAME = 64 };

// A line that is compared.
typedef struct ladder_source_line {
    const char *text; // not terminated
    int bytes;        // without the newline
    int number;       // in the file, from 1
    char *key;        // terminated; lines with the same key are the same
} ladder_source_line;

// The lines of a file that are compared.
typedef struct ladder_source {
    ladder_source_line *lines; // [count], in their order
    int count;                 // of lines
    char *keys;                // memory of all lines' keys
} ladder_source;

// A name that is another in the second file.
typedef struct ladder_rename {
    char from[LADDER_NAME], to[LADDER_NAME]; // in the first file, and in the second
} ladder_rename;

// All of them.
typedef struct ladder_renames {
    ladder_rename rows[LADDER_RENAMES_MAX]; // [count]
    int count;                              // of rows
} ladder_renames;

// The kernels (__global__) and entry functions (extern "C") that are called otherwise in b: those
// that one file alone has, in their order. None when there are not as many in both.
void ladder_source_find_renames(const char *a, const char *b, ladder_renames *out_renames);

// The lines of `text`, which outlives them. Lines that begin with `skip` (NULL: none) are left out,
// as are includes that `other` has too. renames: names to replace, NULL: none. KL_ERROR_LIMIT above
// LADDER_SOURCE_MAX_LINES. Free with ladder_source_free, also after a failure.
kl_status ladder_source_read(const char *text, const char *other, const char *skip,
                             const ladder_renames *renames, ladder_source *out_source,
                             kl_error *err);
void ladder_source_free(ladder_source *source);

#endif
