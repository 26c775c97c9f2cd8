// Child processes under limits: see process.h. Linux: setsid, prlimit, pidfd_open(2), prctl(2).
// Between vfork and exec only async-signal-safe calls are made.
#include "sandbox/process/process.h"
#include "sandbox/process/machine.h"
#include "utilities/defence.h"
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <dirent.h>

enum {
    HIGH_FD = 200,          // above every descriptor that a child is given
    POLL_MS = 200,          // longest sleep between two looks at the deadlines
    POLL_NO_HANDLE_MS = 10, // the same where exits cannot be polled for
    OUTPUT_DEFAULT = 1 << 20
};

static void limit(int resource, uint64_t value) {
    if (value == 0) return;
    struct rlimit r = {.rlim_cur = value, .rlim_max = value};
    setrlimit(resource, &r);
}

static void close_above(int first) {
    if (syscall(SYS_close_range, first, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) == 0) return;
    for (int fd = first; fd < 4096; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

// In the child. Moves the given descriptors to 3, 4, ..; marks all others to close on exec.
static void arrange_descriptors(const ladder_process_spec *spec, int output_fd) {
    int moved[16];
    int count = spec->descriptor_count < 16 ? spec->descriptor_count : 16;
    for (int i = 0; i < count; i++) moved[i] = fcntl(spec->descriptors[i], F_DUPFD, HIGH_FD);
    if (!spec->foreground || spec->apart) dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    if (!spec->foreground) {
        dup2(output_fd, STDOUT_FILENO);
        dup2(output_fd, STDERR_FILENO);
    }
    for (int i = 0; i < count; i++) dup2(moved[i], 3 + i);
    close_above(3 + count);
}

// In the child, on the caller's memory.
static void run_child(const ladder_process_spec *spec, int output_fd, int report_fd, pid_t parent) {
    if (!spec->foreground) setsid();
    if (spec->apart) setpgid(0, 0);
    if (!spec->sees_to_end) prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    sigset_t none;
    sigemptyset(&none);
    for (int s = 1; s < 32; s++) signal(s, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL); // only now: no handler of the caller's runs here
    if (!spec->foreground) prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);

    bool joined = true; // without its limits it does not start
    for (int i = 0; i < spec->join_count && joined; i++) joined = write(spec->join[i], "0", 1) == 1;
    int join_code = errno;
    int report = fcntl(report_fd, F_DUPFD_CLOEXEC, HIGH_FD + 32);
    arrange_descriptors(spec, output_fd);
    limit(RLIMIT_CPU, spec->limits.cpu_s);
    limit(RLIMIT_DATA, spec->limits.data_bytes);
    limit(RLIMIT_FSIZE, spec->limits.file_bytes);
    limit(RLIMIT_NPROC, spec->limits.processes);
    if (!spec->foreground) {
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
    }
    if (!joined) errno = join_code;
    else if (!spec->folder || chdir(spec->folder) == 0)
        execve(spec->argv[0], (char *const *)spec->argv, (char *const *)spec->environment);
    int code = errno;
    ssize_t written = write(report, &code, sizeof code);
    _exit(written == sizeof code ? 126 : 127);
}

// Waits for the child's exec. 0: the pipe closed without a word, so the program runs; else the
// errno of what failed.
static int exec_failure(int report_fd) {
    int code = 0;
    ssize_t got;
    do { got = read(report_fd, &code, sizeof code); } while (got < 0 && errno == EINTR);
    if (got < 0) return errno;
    return got == sizeof code ? code : 0;
}

kl_status ladder_process_start(const ladder_process_spec *spec, ladder_process *out_process,
                               kl_error *err) {
    ladder_process *p = out_process;
    *p = (ladder_process){
        .pid = -1, .exit_handle = -1, .output_fd = -1, .limits = spec->limits, .life_fd = -1};
    if (p->limits.output_bytes == 0) p->limits.output_bytes = OUTPUT_DEFAULT;
    p->output = calloc(1, p->limits.output_bytes + 1);
    if (!p->output) return kl_fail(err, KL_ERROR_MEMORY, "no memory to read output into");
    prctl(PR_SET_CHILD_SUBREAPER, 1); // orphans of the tree come to us, so that they can be found

    int output[2], report[2];
    if (pipe2(output, O_CLOEXEC) != 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "pipe: %s", strerror(errno));
    if (pipe2(report, O_CLOEXEC) != 0) {
        int code = errno;
        close(output[0]);
        close(output[1]);
        return kl_fail(err, KL_ERROR_SYSTEM, "pipe: %s", strerror(code));
    }
    fflush(NULL);
    pid_t parent = getpid();
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    p->pid = vfork(); // copying the page table of a judge, which holds all inputs, takes long
    if (p->pid == 0) run_child(spec, output[1], report[1], parent);
    int fork_code = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(output[1]);
    close(report[1]);
    int exec_code = p->pid > 0 ? exec_failure(report[0]) : 0;
    close(report[0]);
    p->output_fd = output[0];
    p->started_s = p->look_s = kl_now_s();
    if (p->pid < 0) {
        ladder_process_finish(p);
        return kl_fail(err, KL_ERROR_SYSTEM, "cannot start a process: %s", strerror(fork_code));
    }
    fcntl(p->output_fd, F_SETFL, O_NONBLOCK);
    p->exit_handle = (int)syscall(SYS_pidfd_open, p->pid, 0);
    if (exec_code != 0) {
        ladder_process_finish(p);
        return kl_fail(err, KL_ERROR_SYSTEM, "cannot start %s: %s", spec->argv[0],
                       strerror(exec_code));
    }
    return KL_OK;
}

// Takes what can be read now. Beyond the limit nothing is kept and the process is marked.
static void take_output(ladder_process *p) {
    char discard[4096];
    while (p->output_fd >= 0) {
        size_t available = p->limits.output_bytes - p->output_bytes;
        ssize_t got = available > 0 ? read(p->output_fd, p->output + p->output_bytes, available)
                                    : read(p->output_fd, discard, sizeof discard);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return;
        if (got <= 0) {
            close(p->output_fd);
            p->output_fd = -1;
            return;
        }
        if (available == 0) {
            if (p->end == LADDER_END_RUNNING) p->end = LADDER_END_TOO_MUCH_OUTPUT;
            return;
        }
        p->output_bytes += (size_t)got;
    }
}

static void kill_group(ladder_process *p) {
    if (p->pid <= 0) return;
    kill(p->pid, SIGKILL);
    kill(-p->pid, SIGKILL);
}

static void note_end(ladder_process *p, int status) {
    bool by_signal = WIFSIGNALED(status);
    p->code = by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
    p->end = by_signal && p->code == SIGXCPU ? LADDER_END_OUT_OF_TIME
             : by_signal                     ? LADDER_END_SIGNALLED
                                             : LADDER_END_EXITED;
}

// In the sandbox the child is bubblewrap, and the program's own end is in the report.
static void take_report(ladder_process *p) {
    const ladder_inside_report *report = &p->inside->report;
    bool ended = report->state == LADDER_INSIDE_ENDED;
    if (ended) p->cpu_s = report->cpu_s;
    if (p->end == LADDER_END_OUT_OF_TIME || p->end == LADDER_END_TOO_MUCH_OUTPUT ||
        p->end == LADDER_END_TOO_MUCH_MEMORY)
        return; // ended from here
    bool full = ladder_group_was_full(&p->group);
    note_end(p, ended ? report->wait_status : SIGKILL); // the sandbox itself ends only when killed
    if (ended && report->stopped == LADDER_INSIDE_TIME) p->end = LADDER_END_OUT_OF_TIME;
    if ((ended && report->stopped == LADDER_INSIDE_MEMORY) || (full && p->end != LADDER_END_EXITED))
        p->end = LADDER_END_TOO_MUCH_MEMORY;
}

// Notes an exit, or ends a process that broke a limit.
static void check(ladder_process *p) {
    if (p->pid <= 0) return;
    double now = kl_now_s();
    int status = 0;
    struct rusage used;
    if (wait4(p->pid, &status, WNOHANG, &used) == p->pid) {
        p->cpu_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                   1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
        p->pid = -p->pid; // reaped: the number may belong to someone else from now on
        p->wall_s = now - p->started_s;
        if (p->end == LADDER_END_RUNNING) note_end(p, status);
        if (p->inside) take_report(p);
        return;
    }
    if (p->limits.wall_s > 0 && now - p->started_s > p->limits.wall_s &&
        p->end == LADDER_END_RUNNING)
        p->end = LADDER_END_OUT_OF_TIME;
    if (p->end != LADDER_END_RUNNING) {
        p->wall_s = now - p->started_s;
        kill_group(p);
    }
}

// Ends the first process when it and all others together hold too much.
static void check_memory(ladder_process *p) {
    uint64_t limit_bytes = p->limits.memory_bytes;
    double now = kl_now_s();
    if (limit_bytes == 0 || p->pid <= 0 || p->end != LADDER_END_RUNNING || now < p->look_s ||
        !ladder_defence_on(LADDER_DEFENCE_MEMORY_SUM))
        return;
    uint64_t used = ladder_memory_of_descendants();
    if (used > limit_bytes) used = ladder_memory_of_descendants_exactly();
    if (used > limit_bytes) {
        p->end = LADDER_END_TOO_MUCH_MEMORY;
        p->wall_s = now - p->started_s;
        kill_group(p);
        return;
    }
    p->look_s = kl_now_s() + ladder_memory_look_s(limit_bytes - used);
}

static int sleep_ms(ladder_process *const *processes, int count, double until_s) {
    double now = kl_now_s();
    double wait_s = fmin(POLL_MS * 1e-3, until_s - now);
    for (int i = 0; i < count; i++) {
        const ladder_process *p = processes[i];
        if (p->pid <= 0) continue;
        if (p->exit_handle < 0) wait_s = fmin(wait_s, POLL_NO_HANDLE_MS * 1e-3);
        if (p->limits.wall_s > 0) wait_s = fmin(wait_s, p->started_s + p->limits.wall_s - now);
        if (i == 0 && p->limits.memory_bytes > 0) wait_s = fmin(wait_s, p->look_s - now);
    }
    return wait_s > 0 ? (int)(wait_s * 1e3) + 1 : 0;
}

enum { PROCESS_MAX = 8 };

static volatile uint32_t *pulse_of_caller; // of a worker, which nothing else can reach (fork)

void ladder_process_pulse(volatile uint32_t *pulse) { pulse_of_caller = pulse; }

void ladder_process_rest(void) {
    if (pulse_of_caller) ++*pulse_of_caller;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

bool ladder_process_wait_readable(ladder_process *const *processes, int count, int fd,
                                  double until_s) {
    if (count > PROCESS_MAX) count = PROCESS_MAX;
    while (processes[0]->end == LADDER_END_RUNNING && kl_now_s() < until_s) {
        struct pollfd polled[2 * PROCESS_MAX + 1];
        nfds_t used = 0;
        polled[used++] = (struct pollfd){fd, POLLIN, 0}; // poll ignores a negative descriptor
        for (int i = 0; i < count; i++) {
            const ladder_process *p = processes[i];
            if (p->output_fd >= 0) polled[used++] = (struct pollfd){p->output_fd, POLLIN, 0};
            if (p->pid > 0 && p->exit_handle >= 0)
                polled[used++] = (struct pollfd){p->exit_handle, POLLIN, 0};
        }
        check_memory(processes[0]);
        if (pulse_of_caller) ++*pulse_of_caller;
        poll(polled, used, sleep_ms(processes, count, until_s));
        for (int i = 0; i < count; i++) {
            take_output(processes[i]);
            check(processes[i]);
        }
        if (fd >= 0 && polled[0].revents != 0) return true;
    }
    struct pollfd last = {fd, POLLIN, 0}; // a reply may have come just before the end
    return fd >= 0 && poll(&last, 1, 0) == 1 && (last.revents & POLLIN) != 0;
}

void ladder_process_wait(ladder_process *const *processes, int count) {
    ladder_process_wait_readable(processes, count, -1, INFINITY);
}

void ladder_process_finish(ladder_process *process) {
    ladder_process *p = process;
    if (p->pid > 0) {
        kill_group(p);
        int status = 0;
        while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR) {}
        p->wall_s = kl_now_s() - p->started_s;
        p->pid = -p->pid;
    }
    take_output(p);
    if (p->output_fd >= 0) close(p->output_fd);
    if (p->exit_handle >= 0) close(p->exit_handle);
    if (p->life_fd >= 0) close(p->life_fd);
    ladder_group_remove(&p->group);
    p->output_fd = p->exit_handle = p->life_fd = -1;
}

void ladder_process_end(ladder_process *process, const ladder_process *spared) {
    const double patience_s = 5;
    ladder_process_finish(process);
    ladder_process_kill_descendants(spared ? &spared->pid : NULL, spared ? 1 : 0, patience_s);
}

void ladder_process_free(ladder_process *process) {
    free(process->output);
    process->output = NULL;
    if (process->inside) munmap(process->inside, sizeof *process->inside);
    process->inside = NULL;
}

kl_status ladder_process_run(const ladder_process_spec *spec, ladder_process *out_process,
                             kl_error *err) {
    kl_status status = ladder_process_start(spec, out_process, err);
    if (status != KL_OK) {
        ladder_process_free(out_process);
        return status;
    }
    ladder_process *one[] = {out_process};
    ladder_process_wait(one, 1);
    ladder_process_end(out_process, NULL);
    return KL_OK;
}

char *ladder_process_describe(const ladder_process *process, char *text, size_t text_bytes) {
    switch (process->end) {
    case LADDER_END_RUNNING: snprintf(text, text_bytes, "is still running"); break;
    case LADDER_END_EXITED:
        snprintf(text, text_bytes, "ended with exit status %d", process->code);
        break;
    case LADDER_END_SIGNALLED:
        snprintf(text, text_bytes, "crashed: %s (signal %d)", strsignal(process->code),
                 process->code);
        break;
    case LADDER_END_OUT_OF_TIME:
        snprintf(text, text_bytes, "ran longer than its limit of %g s", process->limits.wall_s);
        break;
    case LADDER_END_TOO_MUCH_OUTPUT:
        snprintf(text, text_bytes, "printed more than its limit of %g KiB",
                 (double)process->limits.output_bytes / 1024.0);
        break;
    case LADDER_END_TOO_MUCH_MEMORY:
        snprintf(text, text_bytes,
                 "used more than the limit of %g MiB of memory, all of its processes together",
                 (double)process->limits.memory_bytes / 1048576.0);
        break;
    }
    return text;
}

// The end of a process tree: every descendant is found through /proc and killed, also those that
// left their session or whose parents have died (the caller is a child subreaper, prctl(2), so
// they become its own children). Must never touch a process that is not a descendant of the
// caller.

typedef struct entry {
    pid_t pid, parent;
    bool ours; // a descendant of the caller that is not kept
} entry;

typedef struct entry_list {
    entry *items;
    size_t count, capacity;
} entry_list;

// Field 4 of /proc/PID/stat; the name in field 2 may hold anything, so count from its last bracket.
static bool read_parent(int proc_fd, const char *pid_text, pid_t *out_parent) {
    char path[32], text[512];
    snprintf(path, sizeof path, "%.16s/stat", pid_text);
    if (!ladder_proc_read(proc_fd, path, text, sizeof text)) return false;
    const char *bracket = strrchr(text, ')');
    int parent = 0;
    if (!bracket || sscanf(bracket + 1, " %*c %d", &parent) != 1) return false;
    *out_parent = (pid_t)parent;
    return true;
}

static void list_processes(entry_list *list) {
    list->count = 0;
    DIR *proc = opendir("/proc");
    if (!proc) return;
    struct dirent *item;
    while ((item = readdir(proc))) {
        if (!isdigit((unsigned char)item->d_name[0])) continue;
        if (list->count == list->capacity) {
            size_t capacity = list->capacity > 0 ? 2 * list->capacity : 256;
            entry *items = realloc(list->items, capacity * sizeof *items);
            if (!items) break;
            list->items = items;
            list->capacity = capacity;
        }
        entry *e = &list->items[list->count];
        *e = (entry){.pid = (pid_t)atoi(item->d_name)};
        if (read_parent(dirfd(proc), item->d_name, &e->parent)) list->count++;
    }
    closedir(proc);
}

static bool is_kept(pid_t pid, const pid_t *keep, int keep_count) {
    for (int i = 0; i < keep_count; i++)
        if (keep[i] == pid) return true;
    return false;
}

// Marks children of the caller, then their children, until nothing new is found.
static size_t mark_descendants(entry_list *list, const pid_t *keep, int keep_count) {
    size_t marked = 0;
    bool found = true;
    while (found) {
        found = false;
        for (size_t i = 0; i < list->count; i++) {
            entry *e = &list->items[i];
            if (e->ours || is_kept(e->pid, keep, keep_count)) continue;
            bool descendant = e->parent == getpid();
            for (size_t j = 0; j < list->count && !descendant; j++)
                descendant = list->items[j].ours && list->items[j].pid == e->parent;
            if (descendant) {
                e->ours = true;
                found = true;
                marked++;
            }
        }
    }
    return marked;
}

int ladder_process_kill_descendants(const pid_t *keep, int keep_count, double patience_s) {
    if (!ladder_defence_on(LADDER_DEFENCE_TREE_END)) return 0;
    entry_list list = {NULL, 0, 0};
    double deadline = kl_now_s() + patience_s;
    int killed = 0;
    for (;;) {
        list_processes(&list);
        if (mark_descendants(&list, keep, keep_count) == 0) break;
        for (size_t i = 0; i < list.count; i++) {
            const entry *e = &list.items[i];
            if (!e->ours) continue;
            kill(e->pid, SIGKILL);
            if (e->parent == getpid() && waitpid(e->pid, NULL, WNOHANG) == e->pid) killed++;
        }
        if (kl_now_s() > deadline) break;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    free(list.items);
    return killed;
}
