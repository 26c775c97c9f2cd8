// What the machine has left: see machine.h. Linux: proc(5), meminfo.
#include "sandbox/process/machine.h"
#include "sandbox/isolation/isolation.h"
#include "utilities/defence.h"
#include <dirent.h>
#include <sys/wait.h>
#include <time.h>

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
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
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
        if (word & 0x8000) sum += at;
        else table[at >> 16] = sum ^ word;
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

double ladder_machine_factor(double slowness) { return slowness > 1 ? slowness : 1; }

bool ladder_machine_too_slow(double slowness) {
    return slowness > 1 || (slowness > 0 && ladder_machine_slowness() > 1);
}

// ---- reading /proc ------------------------------------------------------------------------------

bool ladder_proc_read(int folder, const char *path, char *text, size_t bytes) {
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t got = read(fd, text, bytes - 1);
    close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

// Calls `each` for all threads of a process. proc: "/proc".
static void ladder_proc_threads(const char *proc, pid_t pid, ladder_proc_thread *each,
                                void *context) {
    char path[LADDER_PATH];
    snprintf(path, sizeof path, "%.1000s/%d/task", proc, (int)pid);
    DIR *threads = opendir(path);
    const struct dirent *item;
    while (threads && (item = readdir(threads)))
        if (isdigit((unsigned char)item->d_name[0])) each(context, dirfd(threads), item->d_name);
    if (threads) closedir(threads);
}

// Calls `each` for the children of a thread, which every thread has of its own.
static void ladder_proc_children(int task, const char *thread, ladder_proc_child *each,
                                 void *context) {
    char path[64], text[LADDER_PROC_TEXT];
    snprintf(path, sizeof path, "%.20s/children", thread);
    if (!ladder_proc_read(task, path, text, sizeof text)) return;
    char *at = text, *end;
    for (long pid = strtol(at, &end, 10); end != at; pid = strtol(at = end, &end, 10))
        each(context, (pid_t)pid);
}

// ---- the memory of all descendants --------------------------------------------------------------

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

uint64_t ladder_memory_of_descendants(void) { return memory_of_all(false); }

uint64_t ladder_memory_of_descendants_exactly(void) { return memory_of_all(true); }

// Time without a processor. Linux: proc(5), task/TID/children, task/TID/schedstat.

enum {
    PROCESSES = 256,   // looked at in one look
    SANDBOX_LEVELS = 2 // bubblewrap and ladder-sandbox stand above the program
};

// Of all processors for the whole limit: what a job must have used to have had its time. The first
// look comes late by a part of the limit, and changes of threads take some.
static const double whole_share = 0.9;
// Of its time on the clock: what sleeps more than this is late by its own doing. Naps gather a wait
// at each awakening, which on a busy machine adds up to a large part of the limit.
static const double asleep_share = 0.5;

// A process to look at. level: how far below its root.
typedef struct waiting {
    pid_t pid;
    int level;
    bool sandboxed;
} waiting;

// One look: the processes found so far, and the threads of those that were read.
typedef struct look {
    waiting found[PROCESSES];
    int found_count;
    ladder_run_queue_thread threads[LADDER_RUN_QUEUE_THREADS];
    int thread_count;
} look;

bool ladder_run_queue_parse(const char *text, uint64_t *out_ran_ns, uint64_t *out_waited_ns) {
    return sscanf(text, "%" SCNu64 " %" SCNu64, out_ran_ns, out_waited_ns) == 2;
}

static void add_process(look *l, pid_t pid, int level, bool sandboxed) {
    if (pid <= 0 || l->found_count == PROCESSES) return;
    l->found[l->found_count++] = (waiting){pid, level, sandboxed};
}

// A process whose threads are read.
typedef struct reading {
    look *into;
    waiting of;
} reading;

static void look_at_child(void *context, pid_t child) {
    const reading *r = context;
    add_process(r->into, child, r->of.level + 1, r->of.sandboxed);
}

static void read_thread(void *context, int task, const char *thread) {
    const reading *r = context;
    const waiting *of = &r->of;
    look *l = r->into;
    char path[64], text[LADDER_PROC_TEXT];
    ladder_proc_children(task, thread, look_at_child, context);
    if (of->sandboxed && of->level < SANDBOX_LEVELS) return;
    ladder_run_queue_thread now = {.id = (pid_t)atoi(thread)};
    snprintf(path, sizeof path, "%.20s/schedstat", thread);
    if (l->thread_count < LADDER_RUN_QUEUE_THREADS &&
        ladder_proc_read(task, path, text, sizeof text) &&
        ladder_run_queue_parse(text, &now.ran_ns, &now.waited_ns))
        l->threads[l->thread_count++] = now;
}

// What the thread had at the last look. A new one had nothing, nor has one with an old number.
static ladder_run_queue_thread find_before(const ladder_run_queue *queue,
                                           const ladder_run_queue_thread *now) {
    for (int i = 0; i < queue->count; i++) {
        const ladder_run_queue_thread *t = &queue->threads[i];
        if (t->id == now->id && t->ran_ns <= now->ran_ns && t->waited_ns <= now->waited_ns)
            return *t;
    }
    return (ladder_run_queue_thread){.id = now->id};
}

void ladder_run_queue_look(ladder_run_queue *queue, const char *proc,
                           const ladder_run_queue_root *roots, int count) {
    look l = {.found_count = 0};
    uint64_t ran_ns = 0, longest_ns = 0, all_ns = 0;
    for (int i = 0; i < count; i++) add_process(&l, roots[i].pid, 0, roots[i].sandboxed);
    for (int i = 0; i < l.found_count; i++) {
        reading r = {&l, l.found[i]};
        ladder_proc_threads(proc, r.of.pid, read_thread, &r);
    }
    for (int i = 0; i < l.thread_count && queue->looked; i++) {
        const ladder_run_queue_thread *now = &l.threads[i];
        ladder_run_queue_thread before = find_before(queue, now);
        uint64_t waited_ns = now->waited_ns - before.waited_ns;
        ran_ns += now->ran_ns - before.ran_ns;
        all_ns += waited_ns;
        if (waited_ns > longest_ns) longest_ns = waited_ns;
    }
    queue->ran_s += 1e-9 * (double)ran_ns;
    queue->waited_s += 1e-9 * (double)longest_ns;
    queue->all_waited_s += 1e-9 * (double)all_ns;
    queue->looked = true;
    queue->count = l.thread_count;
    memcpy(queue->threads, l.threads, (size_t)l.thread_count * sizeof l.threads[0]);
}

double ladder_run_queue_limit_s(const ladder_run_queue *queue, double limit_s, double took_s,
                                long cores) {
    bool had_all = queue->ran_s >= whole_share * limit_s * (double)(cores > 0 ? cores : 1);
    bool asleep = took_s - queue->ran_s - queue->waited_s > asleep_share * took_s;
    // Runner and engine alternate and each waits for a processor: then nobody slept.
    double slept_s = fmax(took_s - queue->ran_s - queue->all_waited_s, 0);
    double extension_s = had_all || asleep ? 0 : fmin(fmax(queue->waited_s - slept_s, 0), took_s);
    return fmin(limit_s + extension_s, LADDER_RUN_QUEUE_EXTENSION * limit_s);
}

bool ladder_run_queue_starved(const ladder_run_queue *queue, double limit_s, double took_s) {
    double cap_s = LADDER_RUN_QUEUE_EXTENSION * limit_s;
    return took_s >= cap_s && limit_s + queue->waited_s > cap_s && queue->ran_s < limit_s;
}
