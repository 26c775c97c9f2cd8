// SPDX-License-Identifier: MIT
// Kernel names as their authors wrote them.
#ifndef LADDER_KIT_DEMANGLE_H
#define LADDER_KIT_DEMANGLE_H

#include <stddef.h>

// "void interleaved<0>(float const*, long, float*)" from the mangled name; other names stay.
// Returns `text`.
char *ladder_demangle(const char *name, char *text, size_t text_bytes);

// Copies a text with every mangled name in it replaced by the function's plain name without
// parameters.
void ladder_demangle_all(const char *text, char *out, size_t out_bytes);

#endif
