// SPDX-License-Identifier: MIT
// A kernel's name as its author wrote it.
#ifndef SIM_BASE_KERNEL_NAME_H
#define SIM_BASE_KERNEL_NAME_H

#include <stddef.h>

// Without templates' arguments: of "_Z4workPf" "work", to be printed with "%.*s". Names inside
// namespaces stay as they are (Itanium C++ ABI, section 5.1).
const char *sim_kernel_name(const char *mangled, int *out_length);

// "tile" of _ZZ4workPiE4tile, a variable of a function; other names stay. Writes to text, or not.
const char *sim_variable_name(const char *symbol, char *text, size_t bytes);

// The library of the toolkit that a kernel is of, "Thrust" or "CUB", by its namespace; NULL: none.
const char *sim_kernel_library(const char *mangled);

#endif
