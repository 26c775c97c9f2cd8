// SPDX-License-Identifier: MIT
// Argument lists for the lab programs, whose options are those of common/lab/options.c.
#ifndef LADDER_KIT_PROGRAM_ARGS_H
#define LADDER_KIT_PROGRAM_ARGS_H

#include <stdbool.h>

#include "error.h"

enum { LADDER_PROGRAM_ARGS = 160, LADDER_PROGRAM_TEXT = 4096 };

// A list that is being made.
typedef struct ladder_program_args {
    char *argv[LADDER_PROGRAM_ARGS + 1]; // NULL-terminated
    int count;                           // of argv
    char text[LADDER_PROGRAM_TEXT];      // numbers as text
    int used;                            // bytes of text
} ladder_program_args;

// Begins with the program's path; then one option after the other, a flag only when it is set.
void ladder_args_begin(ladder_program_args *args, const char *program);
void ladder_args_flag(ladder_program_args *args, const char *name, bool set);
void ladder_args_text(ladder_program_args *args, const char *name,
                      const char *value); // NULL: left out
// The option with a number.
void ladder_args_number(ladder_program_args *args, const char *name, long long value);
void ladder_args_real(ladder_program_args *args, const char *name, double value);

// program_find.c: finds a program as a shell does; out: [LADDER_PATH]. An error when it holds
// kernels that the simulator cannot reach.
kl_status ladder_program_find(const char *word, char *out, kl_error *err);

#endif
