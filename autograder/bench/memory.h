// SPDX-License-Identifier: MIT
// Memory of a process and of all its descendants, as /proc tells it now.
#ifndef LADDER_BENCH_MEMORY_H
#define LADDER_BENCH_MEMORY_H

#include <sys/types.h>

typedef struct bench_memory {
    double own_bytes; // resident, of the process itself
    double all_bytes; // resident, with its descendants; pages that they share count for each
} bench_memory;

bench_memory bench_memory_of(pid_t process);

#endif
