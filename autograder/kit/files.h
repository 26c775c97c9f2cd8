// SPDX-License-Identifier: MIT
// Files as the grader needs them: bounded reads that follow no link, writes that appear whole or
// not at all, removal of a tree that follows no link either.
#ifndef LADDER_KIT_FILES_H
#define LADDER_KIT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "error.h"

enum { LADDER_PATH = 4096 };

// Formats a path into out: [LADDER_PATH]. KL_ERROR_LIMIT when it does not fit.
kl_status ladder_path(char *out, kl_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Reads a regular file of at most `limit` bytes, relative to `folder_fd` (AT_FDCWD: as usual). A
// symbolic link, FIFO, device or folder is refused without being opened for long. The result is
// terminated; caller frees.
kl_status ladder_file_read(int folder_fd, const char *name, size_t limit, char **out_text,
                           size_t *out_bytes, kl_error *err);

// A file under a temporary name beside `path`; ladder_file_commit renames it into place. Devices
// and pipes are written to as they are.
typedef struct ladder_output {
    FILE *file;
    char path[LADDER_PATH];
    char temporary[LADDER_PATH + 32];
} ladder_output;

kl_status ladder_file_begin(const char *path, ladder_output *out_output, kl_error *err);
kl_status ladder_file_commit(ladder_output *output, kl_error *err);
void ladder_file_abandon(ladder_output *output); // also allowed after commit

kl_status ladder_file_write(const char *path, const void *data, size_t bytes, kl_error *err);

// Lets `write` fill a file, which then appears whole or not at all; "-" stands for standard output.
typedef kl_status ladder_file_writer(void *context, FILE *out, kl_error *err);
kl_status ladder_file_put(const char *path, ladder_file_writer *write, void *context,
                          kl_error *err);

// Makes a folder and those above it.
kl_status ladder_folder_make(const char *path, kl_error *err);
// Makes a private folder with a fresh name under $TMPDIR or /tmp; out: [LADDER_PATH].
kl_status ladder_folder_temporary(char *out, kl_error *err);
// folder_remove.c: removes a folder and all in it, however deep, with two descriptors. Best effort; never
// leaves the folder, never follows a link.
void ladder_folder_remove(const char *path);

bool ladder_file_exists(const char *path);

#endif
