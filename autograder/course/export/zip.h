// SPDX-License-Identifier: MIT
// Writes a ZIP archive (PKWARE's APPNOTE.TXT 6.3, method "stored"). Same files, same bytes: the
// dates are those of the format's beginning.
#ifndef LADDER_EXPORT_ZIP_H
#define LADDER_EXPORT_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "error.h"

// A file of an archive.
typedef struct ladder_zip_file {
    const char *name; // folders are made by its slashes
    const char *data; // [bytes]
    size_t bytes;     // of data; below 4 GiB with all others
    bool program;     // may be executed
} ladder_zip_file;

enum { LADDER_ZIP_FILES = 65535 }; // at most: a count of two bytes

// count <= LADDER_ZIP_FILES. What could not be written is seen in the stream. KL_ERROR_LIMIT: more
// than the format holds.
kl_status ladder_zip_write(const ladder_zip_file *files, size_t count, FILE *out, kl_error *err);

#endif
