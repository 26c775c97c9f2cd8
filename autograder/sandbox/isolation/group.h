// SPDX-License-Identifier: MIT
// A control group of each job: cgroups(7), version 2 where this process may make groups with memory
// and pids below its own or one above it (delegation), version 1 where these hierarchies can be
// written. The kernel then keeps the limits that `ladder-sandbox` watches, without a moment's
// delay.
#ifndef LADDER_ISOLATION_GROUP_H
#define LADDER_ISOLATION_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "utilities/files.h"

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

#endif
