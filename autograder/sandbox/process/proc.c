// SPDX-License-Identifier: MIT
// Reading /proc: see machine.h.
#include "sandbox/process/machine.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "utilities/files.h"

bool ladder_proc_read(int folder, const char *path, char *text, size_t bytes) {
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t got = read(fd, text, bytes - 1);
    close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

void ladder_proc_threads(const char *proc, pid_t pid, ladder_proc_thread *each, void *context) {
    char path[LADDER_PATH];
    snprintf(path, sizeof path, "%.1000s/%d/task", proc, (int)pid);
    DIR *threads = opendir(path);
    const struct dirent *item;
    while (threads && (item = readdir(threads)))
        if (isdigit((unsigned char)item->d_name[0])) each(context, dirfd(threads), item->d_name);
    if (threads) closedir(threads);
}

void ladder_proc_children(int task, const char *thread, ladder_proc_child *each, void *context) {
    char path[64], text[LADDER_PROC_TEXT];
    snprintf(path, sizeof path, "%.20s/children", thread);
    if (!ladder_proc_read(task, path, text, sizeof text)) return;
    char *at = text, *end;
    for (long pid = strtol(at, &end, 10); end != at; pid = strtol(at = end, &end, 10))
        each(context, (pid_t)pid);
}
