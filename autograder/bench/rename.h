// SPDX-License-Identifier: MIT
// A step's file as another student might have written it: the same code with other names.
#ifndef LADDER_BENCH_RENAME_H
#define LADDER_BENCH_RENAME_H

#include "error.h"

// Gives every variable and parameter that the text declares a name with `tail` behind it. Caller
// frees *out_text.
kl_status bench_rename(const char *text, const char *tail, char **out_text, kl_error *err);

#endif
