// SPDX-License-Identifier: MIT
// The memory of all descendants: see machine.h.
#include "sandbox/process/machine.h"

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "sandbox/isolation/isolation.h"

enum { TREE_PROCESSES = 2048 };

// Bytes per second, by a few processors; the same as inside the sandbox (inside_watch.c).
static const double filled_per_s = 16e9;
static const double look_min_s = 0.02, look_max_s = 0.1;

double ladder_memory_look_s(uint64_t left) {
    return fmin(fmax((double)left / filled_per_s, look_min_s), look_max_s);
}

uint64_t ladder_memory_of_machine(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t whole = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    uint64_t limit = ladder_group_memory_limit("/proc/self/mountinfo", "/proc/self/cgroup");
    return limit > 0 && (limit < whole || whole == 0) ? limit : whole;
}

typedef struct pids {
    pid_t found[TREE_PROCESSES];
    int count;
} pids;

static void add_child(void *context, pid_t child) {
    pids *p = context;
    if (p->count < TREE_PROCESSES) p->found[p->count++] = child;
}

static void add_children_of_thread(void *context, int task, const char *thread) {
    ladder_proc_children(task, thread, add_child, context);
}

static uint64_t field(const char *text, const char *name) {
    const char *at = strstr(text, name);
    return at ? strtoull(at + strlen(name), NULL, 10) * 1024 : 0;
}

static uint64_t memory_of(pid_t pid, bool exactly) {
    char path[64], text[LADDER_PROC_TEXT];
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    if (exactly && ladder_proc_read(AT_FDCWD, path, text, sizeof text))
        return field(text, "\nPss_Anon:") + field(text, "\nPss_Shmem:");
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if (!ladder_proc_read(AT_FDCWD, path, text, sizeof text)) return 0;
    return field(text, "\nRssAnon:") + field(text, "\nRssShmem:");
}

static uint64_t memory_of_all(bool exactly) {
    pids p = {.count = 0};
    uint64_t bytes = 0;
    ladder_proc_threads("/proc", getpid(), add_children_of_thread, &p);
    for (int i = 0; i < p.count; i++) {
        bytes += memory_of(p.found[i], exactly);
        ladder_proc_threads("/proc", p.found[i], add_children_of_thread, &p);
    }
    return bytes;
}

uint64_t ladder_memory_of_descendants(void) {
    return memory_of_all(false);
}

uint64_t ladder_memory_of_descendants_exactly(void) {
    return memory_of_all(true);
}
