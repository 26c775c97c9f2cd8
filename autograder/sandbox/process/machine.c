// SPDX-License-Identifier: MIT
// What the machine has left: see machine.h. Linux: proc(5), meminfo.
#include "sandbox/process/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "utilities/defence.h"
#include "utilities/files.h"

enum {
    FILE_BYTES = 4 << 20, // as much as a compiled step with its temporary files
    MEMORY_KIB = 96 << 10 // a small part of what a compiler takes
};

// Writes as much as a step needs; asking how much is free would not know of quotas.
static kl_status can_write(const char *folder, kl_error *err) {
    char path[LADDER_PATH], *bytes = calloc(1, FILE_BYTES);
    if (!bytes) return kl_fail(err, KL_ERROR_SYSTEM, "the machine has no memory left");
    kl_status status = ladder_path(path, err, "%s/fit-XXXXXX", folder);
    int fd = status == KL_OK ? mkostemp(path, O_CLOEXEC) : -1;
    ssize_t written = fd >= 0 ? write(fd, bytes, FILE_BYTES) : -1;
    int code = errno;
    if (fd >= 0) {
        close(fd);
        unlink(path);
    }
    free(bytes);
    if (status != KL_OK || written == FILE_BYTES) return status;
    return kl_fail(err, KL_ERROR_SYSTEM, "no room for files in %s: %s", folder,
                   written < 0 ? strerror(code) : "the disk is full");
}

static kl_status has_memory(kl_error *err) {
    char line[128];
    unsigned long long kib = MEMORY_KIB;
    FILE *in = fopen("/proc/meminfo", "re");
    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1) break;
    if (in) fclose(in);
    if (kib >= MEMORY_KIB) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM, "the machine has %llu MiB of memory left", kib >> 10);
}

static kl_status can_start(kl_error *err) {
    pid_t pid = fork();
    if (pid == 0) _exit(0);
    if (pid > 0) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
        return KL_OK;
    }
    return kl_fail(err, KL_ERROR_SYSTEM, "the machine starts no process: %s", strerror(errno));
}

kl_status ladder_machine_fit(const char *folder, kl_error *err) {
    if (!ladder_defence_on(LADDER_DEFENCE_MACHINE_FIT)) return KL_OK;
    TRY(can_write(folder, err));
    TRY(has_memory(err));
    return can_start(err);
}
