// SPDX-License-Identifier: MIT
// Naming of what is compiled once for each host variant (any processor; x86-64-v3 with AVX2 and
// FMA, on x86-64 only). CMake defines SIM_EXEC_VARIANT while compiling a variant; ops/bind.h has
// the tables that lead to it.
#ifndef SIM_BASE_VARIANT_H
#define SIM_BASE_VARIANT_H

// Pastes the names as they are; SIM_PASTE expands them first.
#define SIM_PASTE_(name, variant) name##_##variant

// The name of a function of one variant.
#define SIM_PASTE(name, variant) SIM_PASTE_(name, variant)
#ifdef SIM_EXEC_VARIANT
#define SIM_VARIANT(name) SIM_PASTE(name, SIM_EXEC_VARIANT)
#endif

#endif
