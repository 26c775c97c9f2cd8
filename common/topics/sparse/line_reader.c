// Lines of a byte source: see sparse_internal.h. A line that reaches over the end of the buffer is
// moved to its start before the buffer is filled again; every other line stays where it was read.
#include "sparse_internal.h"

// Read at a time: what a second-level cache holds. The buffer grows up to the longest line.
enum { READ_BYTES = 256 << 10 };

kl_status kl_lines_open(kl_byte_source *source, kl_lines *out_lines, kl_error *err) {
    *out_lines =
        (kl_lines){.source = source, .buffer = malloc(READ_BYTES + 1), .capacity = READ_BYTES};
    if (!out_lines->buffer) return kl_fail(err, KL_ERROR_MEMORY, "no memory to read a file");
    return KL_OK;
}

void kl_lines_close(kl_lines *lines) {
    free(lines->buffer);
    *lines = (kl_lines){0};
}

// For a line that fills the buffer.
static kl_status grow(kl_lines *lines, kl_error *err) {
    if (lines->capacity == KL_LINE_BYTES) {
        return kl_fail(err, KL_ERROR_INPUT, "line %lld is longer than %d MiB",
                       (long long)lines->number + 1, KL_LINE_BYTES >> 20);
    }
    char *grown = realloc(lines->buffer, 4 * lines->capacity + 1);
    if (!grown) return kl_fail(err, KL_ERROR_MEMORY, "no memory to read a file");
    lines->buffer = grown;
    lines->capacity *= 4;
    return KL_OK;
}

static kl_status fill(kl_lines *lines, kl_error *err) {
    memmove(lines->buffer, lines->buffer + lines->next, lines->end - lines->next);
    lines->end -= lines->next;
    lines->next = 0;
    if (lines->end == lines->capacity) TRY(grow(lines, err));
    size_t got = 0;
    size_t available = lines->capacity - lines->end;
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
            lines->buffer[lines->end++] = '\n'; // the buffer has one more byte than its capacity
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

bool kl_lines_at_end(const kl_lines *lines) { return lines->finished && lines->next == lines->end; }
