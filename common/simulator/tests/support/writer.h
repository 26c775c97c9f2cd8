// SPDX-License-Identifier: MIT
// A text that a test writes by a sequence of random choices, such as a PTX program: the same for
// the same seed.
#ifndef SIM_TEST_SUPPORT_WRITER_H
#define SIM_TEST_SUPPORT_WRITER_H

#include <stddef.h>
#include <stdint.h>

enum { WRITER_BYTES = 1 << 16 };

typedef struct writer {
    char text[WRITER_BYTES]; // ends in NUL
    size_t used;             // bytes of it, without that
    uint64_t state;          // of the choices
} writer;

// Empties the text. Each seed gives other choices.
void writer_begin(writer *out, uint64_t seed);
// The next choice, of 0 to count - 1.
uint32_t below(writer *out, uint32_t count);
// Appends; a text that is too long stops the test.
void put(writer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
