// SPDX-License-Identifier: MIT
// How many threads can run at the same time here.
#ifndef KL_PROCESSORS_H
#define KL_PROCESSORS_H

#include <sched.h>
#include <unistd.h>

// Processors that this process may run on, at least 1: fewer than the machine has in a container or
// under taskset, where more threads would gain nothing.
static inline int kl_processors(void) {
    cpu_set_t mine; // of up to CPU_SETSIZE processors
    if (sched_getaffinity(0, sizeof mine, &mine) == 0) return CPU_COUNT(&mine);
    long all = sysconf(_SC_NPROCESSORS_ONLN);
    return all > 0 ? (int)all : 1;
}

#endif
