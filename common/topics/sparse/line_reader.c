// SPDX-License-Identifier: MIT
// Lines of a byte source: see line_reader.h. A line that reaches over the end of the buffer is
// moved to its start before the buffer is filled again; every other line stays where it was read.
#include "line_reader.h"

#include <stdlib.h>
#include <string.h>

// The buffer takes the longest line, but is filled a little at a time: what a second-level cache
// holds.
enum { READ_BYTES = 256 << 10 };

kl_status kl_lines_open(kl_byte_source *source, kl_lines *out_lines, kl_error *err) {
    *out_lines = (kl_lines){.source = source, .buffer = malloc(KL_LINE_BYTES + 1)};
    if (!out_lines->buffer) return kl_fail(err, KL_ERROR_MEMORY, "no memory to read a file");
    return KL_OK;
}

void kl_lines_close(kl_lines *lines) {
    free(lines->buffer);
    *lines = (kl_lines){0};
}

static kl_status fill(kl_lines *lines, kl_error *err) {
    memmove(lines->buffer, lines->buffer + lines->next, lines->end - lines->next);
    lines->end -= lines->next;
    lines->next = 0;
    if (lines->end == KL_LINE_BYTES) {
        return kl_fail(err, KL_ERROR_INPUT, "line %lld is longer than %d MiB",
                       (long long)lines->number + 1, KL_LINE_BYTES >> 20);
    }
    size_t got = 0;
    size_t available = KL_LINE_BYTES - lines->end;
    TRY(kl_bytes_read(lines->source, lines->buffer + lines->end,
                      available < READ_BYTES ? available : READ_BYTES, &got, err));
    lines->end += got;
    lines->finished = got == 0;
    return KL_OK;
}

kl_status kl_lines_next(kl_lines *lines, const char **out_line, kl_error *err) {
    *out_line = NULL;
    for (;;) {
        const char *start = lines->buffer + lines->next;
        const char *stop = memchr(start, '\n', lines->end - lines->next);
        if (!stop && lines->finished && lines->next < lines->end) { // no newline at the end
            stop = lines->buffer + lines->end;
            lines->buffer[lines->end++] = '\n'; // there is room for one more: see kl_lines_open
        }
        if (stop) {
            lines->next = (size_t)(stop - lines->buffer) + 1;
            lines->number++;
            *out_line = start;
            return KL_OK;
        }
        if (lines->finished) return KL_OK;
        TRY(fill(lines, err));
    }
}
