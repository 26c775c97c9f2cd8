// Waits for something that this process's descendants do, or for them to be gone.
#pragma once

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/process/machine.h"
#include "this_machine.h"

// How long the tests wait for descendants to be gone where they must be: so long that only one that
// stays decides, not a machine that is slow to end it; and where a defence is off and one stays.
enum { AWAIT_GONE_S = 600, AWAIT_STAYS_S = 2 };

// Whether `done` came true within so many seconds in which the descendants could run: what they
// waited for a processor does not count, so that a busy machine decides nothing.
static inline bool await(bool (*done)(void *context), void *context, double seconds) {
    const ladder_run_queue_root own = {getpid(), false};
    ladder_run_queue queue = {.count = 0};
    double start_s = kl_now_s();
    while (!done(context)) {
        ladder_run_queue_look(&queue, "/proc", &own, 1);
        if (kl_now_s() - start_s > seconds + queue.waited_s) return false;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return true;
}

// `done` of await: no child is left, of whatever depth where orphans come to this process.
static inline bool no_child_is_left(void *context) {
    (void)context;
    pid_t ended;
    do ended = waitpid(-1, NULL, WNOHANG);
    while (ended > 0);
    return ended < 0;
}
