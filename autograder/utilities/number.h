// SPDX-License-Identifier: MIT
// The one reader of numbers that people and course systems write: "1,000.00", "40,82", "1 000",
// "1'000", "98 %". A text is taken whole: one that only begins like a number is none.
#ifndef LADDER_KIT_NUMBER_H
#define LADDER_KIT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

// What a text is.
typedef enum ladder_number_kind {
    LADDER_NUMBER_NONE,  // no number: letters, a fraction, a date
    LADDER_NUMBER_BLANK, // nothing, or a dash alone: no number yet
    LADDER_NUMBER_VALUE,
    LADDER_NUMBER_EITHER // "1,000": 1000 or 1, as the sheet's decimal mark is
} ladder_number_kind;

// A number that was read.
typedef struct ladder_number {
    ladder_number_kind kind; // what it was written as
    bool percent;            // "98 %": value 98
    double value;            // of LADDER_NUMBER_EITHER: with the mark as the decimal mark
    double grouped;          // of LADDER_NUMBER_EITHER: with the mark as a thousands separator
    char decimal; // '.' or ',': the text alone shows that this is its decimal mark; 0: it does not
    int digits;   // behind the decimal mark
    bool plain;   // no more than a sign, digits, a decimal mark and "%"
} ladder_number;

// Reads a text. decimal: '.' or ',', the decimal mark of where it stands, which decides what the
// text alone does not; 0: not known. Thousands are parted by a comma, a point, a blank (also a
// no-break or narrow one) or an apostrophe; "12,34,567" of India is known; blanks around, a sign
// (also U+2212) and an exponent are.
ladder_number ladder_number_read(const char *text, char decimal);

// Reads an argument or a word of a file of one's own, which nothing else explains: KL_OK for a
// number without doubt and without "%". `status` where it is none; the error says what it is.
kl_status ladder_number_take(const char *text, kl_status status, double *out_value, kl_error *err);

// Why it is not taken: "'1,000' is 1000 or 1", "'A-' is no number". Returns out.
char *ladder_number_fault(const ladder_number *number, const char *text, char *out,
                          size_t out_bytes);

// Writes a value with this many digits behind the mark; returns out.
char *ladder_number_text(double value, int digits, char decimal, char *out, size_t out_bytes);

#endif
