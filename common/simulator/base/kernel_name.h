// SPDX-License-Identifier: MIT
// A kernel's name as its author wrote it.
#ifndef SIM_BASE_KERNEL_NAME_H
#define SIM_BASE_KERNEL_NAME_H

// Without templates' arguments: of "_Z4workPf" "work", to be printed with "%.*s". Names inside
// namespaces stay as they are (Itanium C++ ABI, section 5.1).
const char *sim_kernel_name(const char *mangled, int *out_length);

// The library of the toolkit that a kernel is of, "Thrust" or "CUB", by its namespace; NULL: none.
const char *sim_kernel_library(const char *mangled);

#endif
