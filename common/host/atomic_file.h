// A file that is there whole or not at all: written under another name in the same folder, then
// renamed. Who reads meanwhile, or after a crash, finds the old one.
#pragma once

#include "error.h"

// Writes the file's content; gives an error to stop. The file is thrown away then.
typedef kl_status kl_file_content(void *context, FILE *out, kl_error *err);

// KL_ERROR_SYSTEM with the path when it cannot be written: no such folder, no permission, disk
// full.
kl_status kl_file_replace(const char *path, kl_file_content *content, void *context, kl_error *err);

// The same for a content that is made from the old one, which it reads: one after the other of
// those who do so in a folder, as far as its file system has locks. Who has waited a second for the
// others goes on.
kl_status kl_file_update(const char *path, kl_file_content *content, void *context, kl_error *err);

// As kl_file_replace, but without waiting for the disk, which takes milliseconds: for one of many
// files that are all made again when the system stops meanwhile.
kl_status kl_file_make(const char *path, kl_file_content *content, void *context, kl_error *err);

// What a command line names: "-" is standard output; a device or a pipe is written to as it is; any
// other file is replaced.
kl_status kl_file_put(const char *path, kl_file_content *content, void *context, kl_error *err);

// Whether the path, which may be NULL, stands for standard output: then the words for people go to
// standard error.
bool kl_file_is_stdout(const char *path);
