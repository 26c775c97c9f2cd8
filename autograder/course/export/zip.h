// SPDX-License-Identifier: MIT
// Writes a small ZIP archive (PKWARE's APPNOTE.TXT 6.3, method "stored"): a few texts at its root,
// with the rights of programs. Same texts, same bytes: the dates are those of the format's
// beginning.
#ifndef LADDER_EXPORT_ZIP_H
#define LADDER_EXPORT_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// A file of an archive.
typedef struct ladder_zip_file {
    const char *name; // without folders
    const char *text; // terminated
    bool program;     // may be executed
} ladder_zip_file;

enum { LADDER_ZIP_FILES = 16 };

// count <= LADDER_ZIP_FILES. What could not be written is seen in the stream.
void ladder_zip_write(const ladder_zip_file *files, size_t count, FILE *out);

#endif
