// Watching a job: see internal.h. As the first process of its namespace `ladder-sandbox` is the
// parent of every orphan, cannot be killed from within, and its end is everyone's end.
#include "sandbox/isolation/protocol.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK_MS = 20,      // from one look to the next where memory may run out
    LOOK_MAX_MS = 100, // and where it cannot
    TEXT = 4096
};

static const uint64_t FILLED_PER_MS = 16 << 20; // bytes, by all processors of a large machine

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool read_text(int proc_fd, const char *pid, const char *file, char text[TEXT]) {
    char path[64];
    snprintf(path, sizeof path, "%.20s/%s", pid, file);
    int fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t got = read(fd, text, TEXT - 1);
    close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

// A field of /proc/PID/status in bytes.
static uint64_t status_bytes(const char *text, const char *field) {
    const char *at = strstr(text, field);
    return at ? strtoull(at + strlen(field), NULL, 10) * 1024 : 0;
}

// Memory of one process that is not read from files: its own, and what it shares. A page of several
// processes counts for each.
static uint64_t memory_of(int proc_fd, const char *pid) {
    char text[TEXT];
    if (!read_text(proc_fd, pid, "status", text)) return 0;
    return status_bytes(text, "\nRssAnon:") + status_bytes(text, "\nRssShmem:");
}

static uint64_t memory_of_all(int proc_fd) {
    int again = openat(proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = again >= 0 ? fdopendir(again) : NULL;
    uint64_t bytes = 0;
    const struct dirent *item;
    while (entries && (item = readdir(entries)))
        if (isdigit((unsigned char)item->d_name[0]) && strcmp(item->d_name, "1") != 0)
            bytes += memory_of(proc_fd, item->d_name);
    if (entries) closedir(entries);
    else if (again >= 0) close(again);
    return bytes;
}

// Takes in what has ended; true when the program has.
static bool reap(pid_t program, ladder_inside_report *report, int options, bool *out_none_left) {
    bool ended = false;
    for (;;) {
        int status = 0;
        pid_t pid = waitpid(-1, &status, options);
        if (pid == program) {
            report->wait_status = status;
            ended = true;
        }
        if (pid <= 0) {
            *out_none_left = pid < 0;
            return ended;
        }
    }
}

// The judge has died or given up: nothing may be left.
static bool is_abandoned(const ladder_inside_plan *plan) {
    struct pollfd life = {plan->life_fd, POLLOUT, 0};
    return poll(&life, 1, 0) == 1 && (life.revents & (POLLERR | POLLNVAL)) != 0;
}

// *out_look_ms: when to look again.
static ladder_inside_stop find_reason(const ladder_inside_plan *plan, int proc_fd, double start_s,
                                      unsigned *out_look_ms) {
    *out_look_ms = LOOK_MAX_MS;
    if (proc_fd >= 0 && plan->memory_bytes > 0) {
        uint64_t bytes = memory_of_all(proc_fd);
        if (bytes > plan->memory_bytes) return LADDER_INSIDE_MEMORY;
        uint64_t lasts_ms = (plan->memory_bytes - bytes) / FILLED_PER_MS;
        if (lasts_ms < LOOK_MAX_MS)
            *out_look_ms = lasts_ms > LOOK_MS ? (unsigned)lasts_ms : LOOK_MS;
    }
    if (plan->wall_s > 0 && now_s() - start_s > plan->wall_s) return LADDER_INSIDE_TIME;
    return LADDER_INSIDE_NOT_STOPPED;
}

void inside_watch(const ladder_inside_plan *plan, int proc_fd, pid_t program,
                  ladder_inside_report *report) {
    double start_s = now_s();
    clockid_t clock = 0;
    bool has_clock = clock_getcpuclockid(program, &clock) == 0;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    unsigned look_ms;
    bool none_left = false;
    while (!reap(program, report, WNOHANG, &none_left)) {
        if (is_abandoned(plan)) _exit(1); // and the namespace with it
        ladder_inside_stop reason = find_reason(plan, proc_fd, start_s, &look_ms);
        if (reason != LADDER_INSIDE_NOT_STOPPED) {
            report->stopped = reason;
            kill(program, SIGKILL);
        }
        struct timespec used;
        if (has_clock && clock_gettime(clock, &used) == 0)
            report->cpu_s = (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
        const struct timespec look = {.tv_nsec = (long)look_ms * 1000000};
        sigtimedwait(&child, NULL, &look);
    }
    bool first = getpid() == 1; // otherwise "all" would be more than the job
    while (!none_left && first) {
        kill(-1, SIGKILL);
        reap(program, report, 0, &none_left);
    }
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used) == 0) {
        report->cpu_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                        1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    }
}
