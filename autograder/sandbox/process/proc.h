// SPDX-License-Identifier: MIT
// What Linux tells of processes: proc(5).
#ifndef LADDER_PROCESS_PROC_H
#define LADDER_PROCESS_PROC_H

#include <stdbool.h>
#include <sys/types.h>

enum { LADDER_PROC_TEXT = 8192 }; // that is read of a file

// Reads a file of /proc, path relative to a folder's descriptor (AT_FDCWD: or absolute), as far as
// there is room: bytes > 0, with the '\0'. False: the process is gone, or the file is empty.
bool ladder_proc_read(int folder, const char *path, char *text, size_t bytes);

// A thread of a process: its folder is `thread`, a number, in the folder `task`.
typedef void ladder_proc_thread(void *context, int task, const char *thread);
// Calls `each` for all threads of a process. proc: "/proc".
void ladder_proc_threads(const char *proc, pid_t pid, ladder_proc_thread *each, void *context);

// A child of a thread.
typedef void ladder_proc_child(void *context, pid_t child);
// Calls `each` for the children of a thread, which every thread has of its own.
void ladder_proc_children(int task, const char *thread, ladder_proc_child *each, void *context);

#endif
