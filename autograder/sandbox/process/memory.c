// SPDX-License-Identifier: MIT
// The memory of all descendants: see memory.h.
#include "sandbox/process/memory.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { TREE_PROCESSES = 2048, PROC_TEXT = 8192 };

// Bytes per second, by a few processors; the same as inside the sandbox (inside_watch.c).
static const double filled_per_s = 16e9;
static const double look_min_s = 0.02, look_max_s = 0.1;

double ladder_memory_look_s(uint64_t left) {
    return fmin(fmax((double)left / filled_per_s, look_min_s), look_max_s);
}

typedef struct pids {
    pid_t found[TREE_PROCESSES];
    int count;
} pids;

static bool read_proc(const char *path, char text[PROC_TEXT]) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t got = read(fd, text, PROC_TEXT - 1);
    close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

// Every thread has children of its own.
static void add_children(pids *p, pid_t pid) {
    char path[128], text[PROC_TEXT];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    const struct dirent *item;
    while (threads && (item = readdir(threads))) {
        if (!isdigit((unsigned char)item->d_name[0])) continue;
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", (int)pid, item->d_name);
        if (!read_proc(path, text)) continue;
        char *at = text, *end;
        for (long child = strtol(at, &end, 10); end != at; child = strtol(at = end, &end, 10))
            if (p->count < TREE_PROCESSES) p->found[p->count++] = (pid_t)child;
    }
    if (threads) closedir(threads);
}

static uint64_t field(const char *text, const char *name) {
    const char *at = strstr(text, name);
    return at ? strtoull(at + strlen(name), NULL, 10) * 1024 : 0;
}

static uint64_t memory_of(pid_t pid, bool exactly) {
    char path[64], text[PROC_TEXT];
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    if (exactly && read_proc(path, text))
        return field(text, "\nPss_Anon:") + field(text, "\nPss_Shmem:");
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if (!read_proc(path, text)) return 0;
    return field(text, "\nRssAnon:") + field(text, "\nRssShmem:");
}

static uint64_t memory_of_all(bool exactly) {
    pids p = {.count = 0};
    uint64_t bytes = 0;
    add_children(&p, getpid());
    for (int i = 0; i < p.count; i++) {
        bytes += memory_of(p.found[i], exactly);
        add_children(&p, p.found[i]);
    }
    return bytes;
}

uint64_t ladder_memory_of_descendants(void) {
    return memory_of_all(false);
}

uint64_t ladder_memory_of_descendants_exactly(void) {
    return memory_of_all(true);
}
