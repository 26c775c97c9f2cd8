// SPDX-License-Identifier: MIT
// What the files of this module share: one of the two runners of a comparison.
#ifndef LADDER_SPEED_INTERNAL_H
#define LADDER_SPEED_INTERNAL_H

#include "grade/judge/attempt.h"
#include "grade/speed/comparison.h"

enum { LADDER_TIMED_SPANS = 4 }; // slots of a timing, in k: 2k calls, k calls, and k to warm up

// A runner with its sets of inputs on the device.
typedef struct timed_runner {
    const ladder_comparison *of;
    const ladder_case *items;                    // [set_count], from different seeds
    const kl_prepared *sets[LADDER_RUNNER_SETS]; // [set_count], the data of items
    int set_count;
    ladder_session session;
    bool open;
    int slots, calls; // calls: k
    double calls_s;   // what they took at first
    int file_slots;   // that are compared after one timing; fewer than 2k: chosen at random
    uint64_t draws;   // random numbers used so far
    uint64_t timings; // made so far
    unsigned char *outputs;
    uint64_t span; // bytes of one slot
    uint64_t file_bytes;
    int outputs_fd;
    kl_error *err;
} timed_runner;

// Starts a runner of this object, hands over inputs and finds how many calls make a timing. To be
// closed also after a failure.
kl_status timed_runner_open(const ladder_comparison *of, const ladder_speed_sets *sets,
                            const char *object, int step, timed_runner *out_runner, kl_error *err);
void timed_runner_close(timed_runner *r);

// Time of one call: the slope between k and 2k calls, so that start and answer cancel out. The
// first calls after a pause take longer and are not timed; no call finds an output that an earlier
// one has written.
kl_status timed_runner_call(timed_runner *r, double *out_s);

// After the timings: a step that writes to its inputs makes later calls easier.
kl_status timed_runner_keeps_inputs(timed_runner *r);

#endif
