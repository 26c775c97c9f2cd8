// SPDX-License-Identifier: MIT
// The line by which a test tells its processor time, children included; budget.awk adds them up.
#ifndef PROCESSOR_TIME_H
#define PROCESSOR_TIME_H

#include <stdio.h>
#include <sys/resource.h>

static inline void print_processor_seconds(void) {
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    double seconds = 0;
    const struct timeval *times[] = {&own.ru_utime, &own.ru_stime, &children.ru_utime,
                                     &children.ru_stime};
    for (int i = 0; i < 4; i++)
        seconds += (double)times[i]->tv_sec + 1e-6 * (double)times[i]->tv_usec;
    printf("processor seconds: %.1f\n", seconds);
}

#endif
