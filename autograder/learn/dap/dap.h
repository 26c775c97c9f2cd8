// The debugger for editors: one session of the Debug Adapter Protocol.
#pragma once

#include "utilities/kit.h"

enum { LADDER_DAP_ARGUMENTS = 64 };

// What an editor asks to debug: a step or a bug hunt of a lab, or a program.
typedef struct ladder_dap_launch {
    const char *lab, *step;                      // NULL: those of the command line
    const char *size, *family;                   // of the lab's case; NULL: the quick cases
    bool solution, optimised;                    // as the options of `ladder debug`
    const char *program;                         // NULL: a lab's
    const char *arguments[LADDER_DAP_ARGUMENTS]; // [argument_count], of the program
    int argument_count;                          // of `arguments`
} ladder_dap_launch;

// How a session is to go.
typedef struct ladder_dap_options {
    const char *port; // NULL: standard streams; "0": any that is free, which is printed
    bool check;       // stops at findings of the checks, unless the launch says otherwise
    void *context;    // handed to `prepare`
    // Builds what is to be debugged; *out_argv holds until the next call. May print.
    kl_status (*prepare)(void *context, const ladder_dap_launch *launch, char *const **out_argv,
                         kl_error *err);
} ladder_dap_options;

// Serves one editor until it disconnects; then no process of the session is left.
kl_status ladder_dap(const ladder_kit *kit, const ladder_dap_options *options, kl_error *err);
