// Work that is shared among processes: see internal.h.
#include "grade/intake/internal.h"
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

enum { WORKERS_MAX = 64 };

// What the processes share. at[w]: index + 1 of the work that worker w is at; 0: none.
typedef struct shared_work {
    atomic_size_t next, done, at[WORKERS_MAX];
    atomic_bool failed;
    kl_error err; // of the first that failed
} shared_work;

void *ladder_share_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes > 0 ? bytes : 1, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

void ladder_share_memory_free(void *memory, size_t bytes) {
    if (memory) munmap(memory, bytes > 0 ? bytes : 1);
}

static void work_on(shared_work *shared, int worker, size_t count, ladder_share_work *work,
                    void *context) {
    for (size_t i; !shared->failed && (i = atomic_fetch_add(&shared->next, 1)) < count;) {
        kl_error err = {KL_OK, ""};
        shared->at[worker] = i + 1;
        if (work(context, i, &err) != KL_OK && !atomic_exchange(&shared->failed, true))
            shared->err = err;
        shared->at[worker] = 0;
        atomic_fetch_add(&shared->done, 1);
    }
}

static pid_t start_worker(shared_work *shared, int worker, size_t count, ladder_share_work *work,
                          void *context) {
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) work_on(shared, worker, count, work, context);
    _exit(0);
}

static void show_progress(const shared_work *shared, size_t count) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Ktaken in %zu of %zu", (size_t)shared->done, count);
}

// Waits until the processes have ended; one that died at its work is replaced.
static void wait_for_workers(shared_work *shared, pid_t *pids, int workers, size_t count,
                             ladder_share_work *work, void *context, bool *out_lost) {
    const struct timespec pause = {0, 5000000};
    for (int left = workers; left > 0;) {
        int status = 0;
        pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended == 0) {
            show_progress(shared, count);
            nanosleep(&pause, NULL);
            continue;
        }
        if (ended < 0 && errno == EINTR) continue;
        if (ended < 0) break;
        int w = 0;
        while (w < workers && pids[w] != ended) w++;
        if (w == workers) continue; // an orphan
        size_t at = atomic_exchange(&shared->at[w], 0);
        if (at > 0) out_lost[at - 1] = true;
        pids[w] = at > 0 ? start_worker(shared, w, count, work, context) : -1;
        if (pids[w] < 0) left--;
    }
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}

kl_status ladder_share(size_t count, int workers, ladder_share_work *work, void *context,
                       bool *out_lost, kl_error *err) {
    pid_t pids[WORKERS_MAX];
    kl_status status = KL_OK;
    int started = 0;
    if (workers <= 1) {
        for (size_t i = 0; i < count && status == KL_OK; i++) status = work(context, i, err);
        return status;
    }
    shared_work *shared = ladder_share_memory(sizeof *shared);
    if (!shared) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the submissions");
    for (int w = 0; w < workers && w < WORKERS_MAX; w++) {
        pids[started] = start_worker(shared, started, count, work, context);
        started += pids[started] > 0;
    }
    wait_for_workers(shared, pids, started, count, work, context, out_lost);
    if (shared->failed) {
        status = shared->err.status;
        if (err) *err = shared->err;
    } else if (shared->next < count) {
        status = kl_fail(err, KL_ERROR_SYSTEM, "cannot start a process: %s", strerror(errno));
    }
    ladder_share_memory_free(shared, sizeof *shared);
    return status;
}
