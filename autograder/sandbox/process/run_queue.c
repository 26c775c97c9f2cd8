// Time without a processor: see machine.h. Linux: proc(5), task/TID/children, task/TID/schedstat.
#include "sandbox/process/machine.h"
#include <unistd.h>

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
