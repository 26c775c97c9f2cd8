// Threads that take the next piece until none is left: see parallel.h.
#include "parallel.h"
#include "this_machine.h"
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>

typedef struct work {
    kl_piece *piece;
    void *context;
    int count;
    atomic_int next;
} work;

static void *take_pieces(void *context) {
    work *w = context;
    for (int i = atomic_fetch_add(&w->next, 1); i < w->count; i = atomic_fetch_add(&w->next, 1))
        w->piece(w->context, i);
    return NULL;
}

int kl_parallel_threads(void) {
    return kl_processors() < KL_PARALLEL_MOST ? kl_processors() : KL_PARALLEL_MOST;
}

void kl_parallel(int count, kl_piece *piece, void *context) {
    work w = {.piece = piece, .context = context, .count = count};
    pthread_t threads[KL_PARALLEL_MOST];
    int wanted = kl_parallel_threads(), started = 0;
    atomic_init(&w.next, 0);
    wanted = wanted < count ? wanted : count;
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, take_pieces, &w) == 0)
        started++;
    take_pieces(&w);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

// ---- forked children ----------------------------------------------------------------------------
// Forked children with a record pipe. Must not touch CUDA itself.

bool kl_isolate_send(int fd, const void *record, size_t bytes) {
    const char *next = record;
    while (bytes > 0) {
        ssize_t written = write(fd, next, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        next += written;
        bytes -= (size_t)written;
    }
    return true;
}

// Reads exactly one record. 1: got it; 0: end of file; -1: the deadline passed; -2: read error.
static int receive(int fd, char *record, size_t bytes, double deadline_s) {
    size_t have = 0;
    while (have < bytes) {
        int wait_ms = -1;
        if (deadline_s > 0) {
            double left = deadline_s - kl_now_s();
            if (left <= 0) return -1;
            wait_ms = left > 1e6 ? 1000000000 : (int)(left * 1e3) + 1;
        }
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int polled = poll(&ready, 1, wait_ms);
        if (polled < 0 && errno != EINTR) return -2;
        if (polled <= 0) continue; // the deadline is looked at again above
        ssize_t got = read(fd, record + have, bytes - have);
        if (got < 0 && errno != EINTR) return -2;
        if (got == 0) return 0;
        have += got > 0 ? (size_t)got : 0;
    }
    return 1;
}

static void wait_for(pid_t child, kl_isolate_end *out_end) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    out_end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    out_end->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

// What it means, and in words.
static void explain(double quiet_limit_s, kl_isolate_end *end) {
    char *text = end->text;
    size_t bytes = sizeof end->text;
    end->outcome = end->timed_out     ? LADDER_TIME_LIMIT
                   : end->signal != 0 ? LADDER_CRASHED
                                      : LADDER_EXITED;
    if (end->timed_out)
        snprintf(text, bytes, "stopped after %.0f s without an answer", quiet_limit_s);
    else if (end->signal == SIGSEGV || end->signal == SIGBUS)
        snprintf(text, bytes, "%s", strsignal(end->signal));
    else if (end->signal == SIGFPE)
        snprintf(text, bytes, "%s: host code divided by 0", strsignal(end->signal));
    else if (end->signal != 0) snprintf(text, bytes, "signal: %s", strsignal(end->signal));
    else if (end->exit_code != 0)
        snprintf(text, bytes, "the step ended the program with exit status %d", end->exit_code);
}

kl_status kl_isolate(kl_isolated *body, void *body_context, size_t record_bytes,
                     double quiet_limit_s, kl_on_record *on_record, void *record_context,
                     kl_isolate_end *out_end, kl_error *err) {
    memset(out_end, 0, sizeof *out_end);
    if (record_bytes == 0 || record_bytes > KL_RECORD_MAX)
        return kl_fail(err, KL_ERROR_LIMIT, "records of %zu bytes are not supported", record_bytes);
    int ends[2];
    if (pipe(ends) != 0) return kl_fail(err, KL_ERROR_SYSTEM, "pipe: %s", strerror(errno));
    fflush(NULL); // or buffered text would be printed by both
    pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return kl_fail(err, KL_ERROR_SYSTEM, "fork: %s", strerror(errno));
    }
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1); // the parent went before prctl took effect
        close(ends[0]);
        body(body_context, ends[1]);
        fflush(NULL);
        _exit(0);
    }
    close(ends[1]);

    char record[KL_RECORD_MAX];
    int state = 1;
    while (state == 1) {
        double deadline = quiet_limit_s > 0 ? kl_now_s() + quiet_limit_s : 0.0;
        state = receive(ends[0], record, record_bytes, deadline);
        if (state == 1 && on_record) on_record(record_context, record);
    }
    close(ends[0]);
    if (state < 0) {
        out_end->timed_out = state == -1;
        kill(child, SIGKILL);
    }
    wait_for(child, out_end);
    explain(quiet_limit_s, out_end);
    return KL_OK;
}
