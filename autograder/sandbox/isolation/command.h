// SPDX-License-Identifier: MIT
// The sandbox from outside: which layers of it stand on this machine, and the command that starts a
// program behind it (bubblewrap, which starts `ladder-sandbox`, which starts the program:
// protocol.h). What a program may see is a list, and nothing else is there.
#ifndef LADDER_ISOLATION_COMMAND_H
#define LADDER_ISOLATION_COMMAND_H

#include "error.h"
#include "sandbox/isolation/protocol.h"

// What a job may see.
typedef struct ladder_sandbox_view {
    const char *const *shown; // files and folders, read-only under their own names; ends with NULL
    const char *folder;       // absolute: its files as copies, and room to write; NULL: none
    const char *const *outputs; // names of files there that come back; ends with NULL; NULL: none
    uint64_t folder_bytes;      // room to write; 0: 256 MiB
    uint64_t folder_files;      // files, folders and links there; 0: 4096
    bool compiler;              // the toolkit, the host compiler and public headers
    bool gpu;                   // the driver's devices and files
    bool memory_files;          // memfd_create(2)
} ladder_sandbox_view;

enum { LADDER_COMMAND_ARGUMENTS = 512, LADDER_COMMAND_TEXT = 64 << 10 };

// A command line, owned.
typedef struct ladder_sandbox_command {
    const char *argv[LADDER_COMMAND_ARGUMENTS + 1]; // [count], ended by NULL
    int count;                                      // of argv
    char *text;                                     // of the arguments that were made for it
    size_t used;                                    // bytes of text
} ladder_sandbox_command;

// Path of bubblewrap and of `ladder-sandbox`; KL_ERROR_SYSTEM says what is missing.
kl_status ladder_sandbox_programs(const char **out_bwrap, const char **out_inside, kl_error *err);

// Makes the command that starts `argv` in the sandbox and fills the plan's user, folder and
// layers. plan_fd: the plan's descriptor in the child.
kl_status ladder_sandbox_command_make(const ladder_sandbox_view *view, const char *const *argv,
                                      int plan_fd, ladder_inside_plan *plan,
                                      ladder_sandbox_command *out_command, kl_error *err);
void ladder_sandbox_command_free(ladder_sandbox_command *command);

// What can be said about a machine on which bubblewrap fails.
const char *ladder_sandbox_advice(void);

#endif
