// Using up the machine.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tries.h"

enum {
    TASKS = 64,       // the attacks allow 24
    SHARE = 96 << 20, // bytes of each of PROCESSES; the attacks allow 192 MiB for all
    PROCESSES = 6,
    SHARED = 512 << 20,
    WRITTEN = 32 << 20, // the attacks allow 8 MiB
    FILES = 600,        // the attacks allow 64
    DEPTH = 400
};

static void rest(int ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

bool try_forks_without_end(void) {
    int made = 0;
    for (; made < TASKS; made++) {
        pid_t child = fork();
        if (child < 0) break;
        if (child == 0) {
            rest(3600000);
            _exit(0);
        }
    }
    return made == TASKS;
}

static void *wait_a_while(void *nothing) {
    rest(3600000);
    return nothing;
}

bool try_starts_threads_without_end(void) {
    int made = 0;
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    while (made < TASKS && pthread_create(&thread, &small, wait_a_while, NULL) == 0) made++;
    return made == TASKS;
}

static bool touch(size_t bytes, int kind) {
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return false;
    memset(at, 1, bytes);
    return true;
}

bool try_fills_memory_by_many(void) {
    int ready[2];
    char done[PROCESSES];
    if (pipe(ready) != 0) return false;
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() != 0) continue;
        bool full = touch(SHARE, MAP_PRIVATE);
        ssize_t sent = full ? write(ready[1], "f", 1) : 0;
        rest(sent == 1 ? 3600000 : 0);
        _exit(0);
    }
    close(ready[1]);
    for (int i = 0; i < PROCESSES; i++)
        if (read(ready[0], done + i, 1) != 1) return false;
    rest(300);
    return true;
}

bool try_fills_shared_memory(void) {
    bool full = touch(SHARED, MAP_SHARED);
    rest(300);
    return full;
}

// Written and never mapped: no process's own memory.
bool try_fills_memory_files(void) {
    static char block[1 << 20];
    int fd = memfd_create("full", 0);
    size_t written = 0;
    while (fd >= 0 && written < SHARED && write(fd, block, sizeof block) == (ssize_t)sizeof block)
        written += sizeof block;
    rest(300);
    return written == SHARED;
}

bool try_writes_much(void) {
    static char block[1 << 16];
    int fd = open("much", O_WRONLY | O_CREAT, 0644);
    size_t written = 0;
    memset(block, 1, sizeof block);
    while (fd >= 0 && written < WRITTEN && write(fd, block, sizeof block) == (ssize_t)sizeof block)
        written += sizeof block;
    return written >= WRITTEN;
}

bool try_writes_many_files(void) {
    char name[32];
    int made = 0;
    for (; made < FILES; made++) {
        snprintf(name, sizeof name, "file-%d", made);
        int fd = open(name, O_WRONLY | O_CREAT, 0644);
        if (fd < 0) break;
        close(fd);
    }
    return made == FILES;
}

bool try_digs_deep(void) {
    int depth = 0;
    while (depth < DEPTH && mkdir("deep", 0755) == 0 && chdir("deep") == 0) depth++;
    return depth == DEPTH;
}

bool try_writes_sparse(void) {
    int fd = open("out", O_WRONLY | O_CREAT, 0644);
    return fd >= 0 && ftruncate(fd, (off_t)1 << 40) == 0;
}

bool try_burns_time(void) {
    for (volatile unsigned i = 0;; i++) {}
}
