// SPDX-License-Identifier: MIT
// Lines of a byte source, without copying them. Private to common/topics/sparse.
#ifndef KL_LINE_READER_H
#define KL_LINE_READER_H

#include <stdbool.h>

#include "byte_source.h"

enum { KL_LINE_BYTES = 4 << 20 }; // of the longest line, with its newline

typedef struct kl_lines {
    kl_byte_source *source;
    char *buffer; // what has been read and not been given away: [next, end), then a '\n'
    size_t next, end, capacity;
    bool finished;  // the source has no more
    int64_t number; // of the line given last, from 1
} kl_lines;

kl_status kl_lines_open(kl_byte_source *source, kl_lines *out_lines, kl_error *err);
void kl_lines_close(kl_lines *lines); // not the source

// *out_line: the next line, ended by '\n' even at the end of the source; NULL when there is none.
// Good until the next call. KL_ERROR_INPUT on a line of more than KL_LINE_BYTES.
kl_status kl_lines_next(kl_lines *lines, const char **out_line, kl_error *err);

// Whether the source ends with the line given last, as far as is known: the line has no newline, or
// nothing is behind it.
bool kl_lines_at_end(const kl_lines *lines);

#endif
