// SPDX-License-Identifier: MIT
// What the text of a step's file says of itself: whether it is as it was handed out, and whether it
// counts as written.
#ifndef KL_STEP_TEXT_H
#define KL_STEP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How the last line of a handed-out file begins and ends; between them the hash, 16 hex digits, of
// all lines before it.
#define KL_STAMP_START "// ladder-skeleton "
#define KL_STAMP_END   " (as it was handed out; any change makes this file yours)\n"

// FNV-1a, 64 bits (Fowler, Noll, Vo): finds changes; it is not meant to resist a forger.
uint64_t kl_step_text_hash(const char *text, size_t bytes);

// The same of a file; 0 when it cannot be read.
uint64_t kl_step_file_hash(const char *path);

// True when the last line of the text is a stamp that fits the lines before it.
bool kl_step_text_is_untouched(const char *text);

// A step that says it is not implemented although its file was changed: when a line of it still is
// "#define IMPLEMENTED 0", fills `out` with a sentence that names the file (without folders) and
// the line, and returns true.
bool kl_step_text_forgotten(const char *path, const char *text, char *out, size_t out_bytes);
// Likewise of the file itself; false when it cannot be read.
bool kl_step_file_forgotten(const char *path, char *out, size_t out_bytes);

#endif
