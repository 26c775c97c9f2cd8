// SPDX-License-Identifier: MIT
// What the machine has left: see machine.h. Linux: proc(5), meminfo.
#include "sandbox/process/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "utilities/defence.h"
#include "utilities/files.h"

enum {
    FILE_BYTES = 4 << 20,  // as much as a compiled step with its temporary files
    MEMORY_KIB = 96 << 10, // a small part of what a compiler takes
    PROBE_WORDS = 1 << 16, // of the table that the measured work reads and writes: more than an L1
    PROBE_STEPS = 1 << 19, // of that work
    PROBES = 5             // the least time of so many counts
};

static const double probe_s = 4e-3; // of one probe, on a processor of 2 to 3 GHz that is shared

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

static double thread_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Processor time of a walk through a table whose branches nobody foresees, as in a compiler and in
// the simulator.
static double probe(uint32_t table[PROBE_WORDS]) {
    double begin_s = thread_s();
    uint32_t at = 1, sum = 0;
    for (int i = 0; i < PROBE_STEPS; i++) {
        uint32_t word = table[at % PROBE_WORDS];
        at = at * 1664525 + word;
        if (word & 0x8000)
            sum += at;
        else
            table[at >> 16] = sum ^ word;
    }
    volatile uint32_t used = sum;
    (void)used;
    return thread_s() - begin_s;
}

double ladder_machine_slowness(void) {
    uint32_t *table = malloc(PROBE_WORDS * sizeof *table);
    double least_s = INFINITY, factor = 1;
    for (int i = 0; table && i < PROBES; i++) {
        for (uint32_t w = 0; w < PROBE_WORDS; w++) table[w] = w * UINT32_C(2654435761);
        least_s = fmin(least_s, probe(table));
    }
    free(table);
    if (!(least_s >= 2 * probe_s) || isinf(least_s)) return 1;
    while (factor * probe_s < least_s) factor *= 2;
    return factor;
}

double ladder_machine_factor(double slowness) {
    return slowness > 1 ? slowness : 1;
}

bool ladder_machine_too_slow(double slowness) {
    return slowness > 1 || (slowness > 0 && ladder_machine_slowness() > 1);
}
