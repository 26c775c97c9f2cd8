// The parts of `ladder-sandbox` (protocol.h); its order of work is in inside_main.c. Every function
// returns false with errno set when the system refuses.
#pragma once

#include "sandbox/isolation/protocol.h"
#include <sys/types.h>

// inside_files.c: makes plan->folder a file system in memory with limits, owned by the job's user,
// and copies the regular files that lie there into it.
bool inside_files_make(const ladder_inside_plan *plan);
// Hands back plan->outputs[i] if it is a regular file, at most plan->folder_bytes of it.
bool inside_files_return(const ladder_inside_plan *plan, int i);

// inside_rights.c: another user, a user namespace, no capabilities. *layers: which of these
// stand.
bool inside_rights_drop(const ladder_inside_plan *plan, int proc_fd, uint32_t *layers);

// inside_filter.c: for this process and those that it starts.
bool inside_filter_install(const ladder_inside_plan *plan);
// inside_rights.c: the same; writing only below `folder` and to devices. False where the kernel
// has none.
bool inside_landlock_install(const ladder_inside_plan *plan);

// inside_watch.c: waits for the program and everything that it started to be gone, and kills what
// breaks a limit or outlives it. Fills all of the report but its layers and `returned`.
void inside_watch(const ladder_inside_plan *plan, int proc_fd, pid_t program,
                  ladder_inside_report *report);
