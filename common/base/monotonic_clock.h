// SPDX-License-Identifier: MIT
// The clock that nobody sets: for deadlines and durations, never for a date.
#ifndef KL_MONOTONIC_CLOCK_H
#define KL_MONOTONIC_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t kl_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline double kl_now_s(void) {
    return 1e-9 * (double)kl_now_ns();
}

#endif
