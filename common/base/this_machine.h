// What this machine says: its clock, its processors.
#pragma once

#include <sched.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

// ---- monotonic clock ----------------------------------------------------------------------------
// The clock that nobody sets: for deadlines and durations, never for a date.

static inline uint64_t kl_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline double kl_now_s(void) { return 1e-9 * (double)kl_now_ns(); }

// ---- processors ---------------------------------------------------------------------------------
// How many threads can run at the same time here.

// Processors that this process may run on, at least 1: fewer than the machine has in a container or
// under taskset, where more threads would gain nothing.
static inline int kl_processors(void) {
    cpu_set_t mine; // of up to CPU_SETSIZE processors
    if (sched_getaffinity(0, sizeof mine, &mine) == 0) return CPU_COUNT(&mine);
    long all = sysconf(_SC_NPROCESSORS_ONLN);
    return all > 0 ? (int)all : 1;
}
