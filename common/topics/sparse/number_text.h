// SPDX-License-Identifier: MIT
// Numbers in a line of text that ends in '\n'. Private to common/topics/sparse.
#ifndef KL_NUMBER_TEXT_H
#define KL_NUMBER_TEXT_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
