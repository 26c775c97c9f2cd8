// SPDX-License-Identifier: MIT
// Argument lists: see program_args.h. What does not fit is left out; commands give far fewer.
#include "utilities/program_args.h"

#include <stdio.h>

static void add(ladder_program_args *args, const char *word) {
    if (args->count == LADDER_PROGRAM_ARGS) return;
    args->argv[args->count++] = (char *)word;
    args->argv[args->count] = NULL;
}

void ladder_args_begin(ladder_program_args *args, const char *program) {
    args->count = args->used = 0;
    add(args, program);
}

void ladder_args_flag(ladder_program_args *args, const char *name, bool set) {
    if (set) add(args, name);
}

void ladder_args_text(ladder_program_args *args, const char *name, const char *value) {
    if (!value) return;
    add(args, name);
    add(args, value);
}

// `length`: of what snprintf has just written to the free end of args->text.
static void add_number(ladder_program_args *args, const char *name, int length) {
    if (length < 0 || length >= LADDER_PROGRAM_TEXT - args->used) return;
    char *text = args->text + args->used;
    args->used += length + 1;
    ladder_args_text(args, name, text);
}

void ladder_args_number(ladder_program_args *args, const char *name, long long value) {
    size_t available = (size_t)(LADDER_PROGRAM_TEXT - args->used);
    add_number(args, name, snprintf(args->text + args->used, available, "%lld", value));
}

void ladder_args_real(ladder_program_args *args, const char *name, double value) {
    size_t available = (size_t)(LADDER_PROGRAM_TEXT - args->used);
    add_number(args, name, snprintf(args->text + args->used, available, "%.17g", value));
}
