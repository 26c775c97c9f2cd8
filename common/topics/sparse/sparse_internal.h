// What the files of this library share.
#pragma once

#include "files.h"
#include "sparse.h"

// ---- sparse memory ------------------------------------------------------------------------------
// Checked allocation for the formats. Private to common/topics/sparse.

// KL_ERROR_INPUT or KL_ERROR_LIMIT when the kit cannot hold a matrix of this shape.
kl_status kl_sparse_check_shape(int64_t rows, int64_t cols, int64_t nnz, kl_error *err);

// out_pointer: address of a pointer of any object type. Never gives NULL with KL_OK.
kl_status kl_sparse_alloc(uint64_t elems, size_t elem_bytes, bool clear, void *out_pointer,
                          kl_error *err);

// ptr is all 0, col and val are not set.
kl_status kl_csr_alloc(int64_t rows, int64_t cols, int64_t nnz, kl_csr *out_csr, kl_error *err);

// ---- line_reader.c ------------------------------------------------------------------------------
// Lines of a byte source, without copying them. Private to common/topics/sparse.

enum { KL_LINE_MOST = 4 << 20 }; // of the longest line, with its newline

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
// Good until the next call. KL_ERROR_INPUT on a line of more than KL_LINE_MOST.
kl_status kl_lines_next(kl_lines *lines, const char **out_line, kl_error *err);

// Whether the source ends with the line given last, as far as is known: the line has no newline, or
// nothing is behind it.
bool kl_lines_at_end(const kl_lines *lines);

// ---- numbers in text ----------------------------------------------------------------------------
// Numbers in a line of text that ends in '\n'. Private to common/topics/sparse.

// All skip blanks before the number, and move *at behind it. The number must be followed by a blank
// or the line's end.

// A non-negative integer. false: none there, or it does not fit 63 bits.
bool kl_read_count(const char **at, int64_t *out_value);
// An integer with an optional sign, as the nearest double.
bool kl_read_integer(const char **at, double *out_value);
// A decimal number, correctly rounded. false also for infinities, NaN, hexadecimal and overflow.
bool kl_read_real(const char **at, double *out_value);

// True when only blanks (and a CR) are left before the end of the line.
bool kl_line_is_done(const char *at);

// The next word, for a message: at most `bytes` - 1 of its characters, others than printable ASCII
// as '?'.
const char *kl_show_word(const char *at, char *out, int bytes);

// ---- row_law.c ----------------------------------------------------------------------------------
// How many rows have which length, from shortest, longest, mean and deviation. Private to
// common/topics/sparse.

// Fills sorted: [items], ascending whole numbers of 0 .. top whose mean and population deviation
// are near those given. Law: p(k) ~ x^a (1 - x)^b with x = (k + offset) / (top + offset + 1/2), a
// beta distribution's discrete relative: for other a and b it is bell-shaped, one-sided, a power
// law with a cut-off, or two-sided. An offset above 1/2 makes the smallest numbers of a power law
// rarer. KL_ERROR_INPUT when no numbers have these moments.
kl_status kl_law_fill(int64_t top, double mean, double stddev, double offset, int64_t items,
                      int32_t *sorted, kl_error *err);

// Like kl_law_fill, and then exactly: the numbers add up to `sum`, the first is 0 and the last
// `top` (when there are two), the deviation as near as single steps get it.
kl_status kl_law_fill_exactly(int64_t top, int64_t sum, double stddev, double offset, int64_t items,
                              int32_t *sorted, kl_error *err);
