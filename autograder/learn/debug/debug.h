// SPDX-License-Identifier: MIT
// The debugger in a terminal: reads commands as cuda-gdb has them, and prints what comes of them.
#ifndef LADDER_DEBUG_DEBUG_H
#define LADDER_DEBUG_DEBUG_H

#include "utilities/kit.h"
#include "utilities/options.h"

// How a session is to go.
typedef struct ladder_debug_options {
    const ladder_texts *scripts; // files of commands, which come first
    bool batch;                  // ends behind them
    bool check;                  // stops at findings of the checks, too
} ladder_debug_options;

// Debugs a program (argv[0]: its path). *out_failed: a command of a script did.
kl_status ladder_debug(const ladder_kit *kit, char *const *argv,
                       const ladder_debug_options *options, bool *out_failed, kl_error *err);

#endif
