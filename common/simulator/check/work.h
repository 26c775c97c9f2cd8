// SPDX-License-Identifier: MIT
// Order of pieces of work (launches, copies, fills) of a program's streams: a vector clock for each
// queue, with a component for each line. A line is a queue in which work is done; what is in one
// line is ordered. The host is one such clock, whichever of its threads calls: that can hide a
// mistake of a program with several, never make one up.
#ifndef SIM_CHECK_WORK_H
#define SIM_CHECK_WORK_H

#include <stdbool.h>

#include "device/device.h"

typedef struct check_works check_works;

// A piece of work: the number-th of its line, from 1. number 0: none.
typedef struct check_moment {
    uint32_t line, number;
} check_moment;

check_works *check_works_new(void); // NULL: no memory
void check_works_free(check_works *works);

// A piece of work begins in a queue, submitted by the host now.
check_moment check_works_begin(check_works *works, sim_queue queue);
void check_works_after(check_works *works, sim_queue queue, sim_queue other);
void check_works_gone(check_works *works, sim_queue queue);
void check_works_wait_all(check_works *works);

// Whether the piece begun last comes after another one, and whether the host has waited for all
// that was begun. When memory runs short everything counts as ordered.
bool check_works_knows(const check_works *works, check_moment other);
bool check_works_all_known(const check_works *works);
// It comes after it from here on: they have told each other through memory.
void check_works_learn(check_works *works, check_moment other);
// The same of the host: whether it has waited for a piece, and that it has from here on.
bool check_works_host_knows(const check_works *works, check_moment moment);
void check_works_host_learns(check_works *works, check_moment moment);
sim_queue_kind check_works_kind(const check_works *works, check_moment moment);

#endif
