// The sandbox from outside, and the limits and the user of a job.
#pragma once

#include "sandbox/isolation/protocol.h"
#include "utilities/files.h"

// ---- command.c ----------------------------------------------------------------------------------
// The sandbox from outside: which layers of it stand on this machine, and the command that starts a
// program behind it (bubblewrap, which starts `ladder-sandbox`, which starts the program:
// protocol.h). What a program may see is a list, and nothing else is there.

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

// ---- group.c ------------------------------------------------------------------------------------
// A control group of each job: cgroups(7), version 2 where this process may make groups with memory
// and pids below its own or one above it (delegation), version 1 where these hierarchies can be
// written. The kernel then keeps the limits that `ladder-sandbox` watches, without a moment's
// delay.

enum { LADDER_GROUPS = 2 }; // version 1 has one for memory and one for processes

// The control group of a job.
typedef struct ladder_group {
    char folders[LADDER_GROUPS][LADDER_PATH]; // [count] of the groups
    int join[LADDER_GROUPS];                  // a process that writes "0" there joins
    int count;                                // 0: no group
} ladder_group;

// Makes a group with these limits, below `within`, whose limits then hold as well (NULL: below this
// process's own). 0: no limit. False, and count 0, where there is none to be had.
bool ladder_group_make(const ladder_group *within, uint64_t memory_bytes, uint64_t processes,
                       ladder_group *out_group);
void ladder_group_close_join(ladder_group *group); // when the job has joined
// Removes a group, whose processes have ended.
void ladder_group_remove(ladder_group *group);
// The least limit of memory, in bytes, of this process's control group and those above it, in
// either version; 0: none has one. mountinfo, own: "/proc/self/mountinfo", "/proc/self/cgroup".
uint64_t ladder_group_memory_limit(const char *mountinfo, const char *own);

// True when the kernel ended a process of the group for its use of memory.
bool ladder_group_was_full(const ladder_group *group);

// For tests: the same in the system that these files describe (/proc/self/mountinfo,
// /proc/self/cgroup).
bool ladder_group_find(const char *mountinfo, const char *own, ladder_group *out_parents,
                       bool *out_version_2);

// ---- command.c ----------------------------------------------------------------------------------
// As whom jobs run.

// True when this process may make namespaces and mounts without a user namespace: root, but not
// that of a container without CAP_SYS_ADMIN.
bool sandbox_may_mount(void);

// A user for the next job, who owns nothing. False when there is none to be had: root in a user
// namespace that maps few users.
bool sandbox_choose_user(unsigned *out_user);
