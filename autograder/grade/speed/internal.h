// What the files of this module share: the runners of a comparison.
#pragma once

#include "grade/judge/judge.h"
#include "grade/speed/speed.h"
#include <pthread.h>

enum {
    LADDER_TIMED_SPANS = 4, // slots of a timing, in k: 2k calls, k calls, and up to k to warm up
    LADDER_TIMED_PAIRS = 3  // of runners that lie on the card at the same time, at most
};

// A runner with its sets of inputs on the device.
typedef struct timed_runner {
    const ladder_comparison *of;
    const ladder_case *items;                    // [set_count], from different seeds
    const kl_prepared *sets[LADDER_RUNNER_SETS]; // [set_count], the data of items
    int set_count;
    bool trusted; // the kit's own step: nobody doubts its outputs
    ladder_session session;
    bool open;
    int slots, calls, warm; // calls: k, 0: not known yet; warm: calls before a timing
    double calls_s;         // what k calls took at first
    int file_slots;         // that are compared after one timing; fewer than 2k: chosen at random
    uint64_t draws;         // random numbers used so far
    uint64_t timings;       // made so far
    ladder_runner_request fetched; // the outputs that `outputs` holds
    pthread_t comparing;           // of them with the answers, while the next calls run
    bool compares;                 // it has begun
    kl_error compared;             // what it found
    unsigned char *outputs;
    uint64_t span; // bytes of one slot
    uint64_t file_bytes;
    int outputs_fd;
    kl_error *err;
} timed_runner;

// How many pairs of runners have room on the card beside each other: 1 to LADDER_TIMED_PAIRS.
int timed_runners_fit(const ladder_comparison *of, const ladder_speed_sets *sets);

// Starts a runner of this object, the kit's own if `trusted`; it is not waited for. To be closed
// also after a failure, and before any other one is opened again: the end of one ends all.
kl_status timed_runner_start(const ladder_comparison *of, const ladder_speed_sets *sets,
                             const char *object, int step, bool trusted, timed_runner *out_runner,
                             kl_error *err);
// Hands over inputs to all of these, which each of them brings to the device by itself.
kl_status timed_runners_set_up(timed_runner *const *runners, int count);
void timed_runner_close(timed_runner *r);

// Finds how many calls make a timing. The first call of a runner is timed here.
kl_status timed_runner_calibrate(timed_runner *r);

// Time of one call: the slope between k and 2k calls, so that start and answer cancel out. The
// first calls after a pause take longer and are not timed; no call finds an output that an earlier
// one has written.
kl_status timed_runner_call(timed_runner *r, double *out_s);

// Waits for the comparison of the last timing's outputs.
kl_status timed_runner_compared(timed_runner *r);

// After the timings: a step that writes to its inputs makes later calls easier.
kl_status timed_runners_keep_inputs(timed_runner *const *runners, int count);
