// SPDX-License-Identifier: MIT
// Speed of a step on a GPU, as the ratio of two times taken side by side. The judge holds the
// clock: it times k and 2k calls from outside, and the slope is the time of a call; outputs of all
// timed calls are verified. What the ratios say is decided in interval.h. The time that it takes is
// bounded: LADDER_SPEED_SECONDS and the last pair of processes.
#ifndef LADDER_SPEED_COMPARISON_H
#define LADDER_SPEED_COMPARISON_H

#include "grade/speed/interval.h"
#include "grade/judge/plan.h"

// What is timed against what.
typedef struct ladder_comparison {
    const ladder_submission_run *run;  // plan, the step that is timed, who is told of each pair
    const ladder_criterion *criterion; // over, family, size
    ladder_threshold threshold;        // the criterion's, or this card's
    const char *baseline_object;       // the kit's own build of step criterion->over
    double tolerance;                  // of the baseline against itself, see ladder_decide_same
    double limit_s;  // no pair of processes is started later; 0: LADDER_SPEED_SECONDS
    int pairs_least; // of processes; 0: LADDER_RATIOS_FEW
    // Of outputs, after one timing; 0: 32 MiB. When not all fit, a random choice after some timings
    // is compared.
    uint64_t compare_bytes;
    double (*now_s)(void); // the clock; NULL: kl_now_s
} ladder_comparison;

// Where the time of a measurement went, in seconds on the clock.
typedef struct ladder_speed_parts {
    double start_s, inputs_s; // processes; their inputs, and memory for outputs
    double alone_s;           // timed calls and their outputs: nobody else may use the card
    double kept_s, end_s;     // inputs compared afterwards; ends of processes
    double waited_s;          // for others who used the card; no part of `seconds`
} ladder_speed_parts;

// What came out: ratio is time(baseline) / time(step).
typedef struct ladder_speed {
    kl_interval ratio, same;  // same: of the baseline against itself
    int pairs;                // of processes
    bool doubt;               // noise still decides
    double over_s, step_s;    // of one call, the medians over processes
    double seconds;           // that the measurement took
    ladder_speed_parts parts; // of them
} ladder_speed;

// What the baseline against itself may differ from 1 by, whatever its interval is.
#define LADDER_SPEED_TOLERANCE 0.01

// How long one criterion is timed, from its first process to the start of its last.
#define LADDER_SPEED_SECONDS 50

// How far above this card's roof (bytes that must move, over the memory's rate) a call may seem to
// be; beyond it has not done its work.
#define LADDER_SPEED_ROOF 1.5

// A step timed against the baseline. KL_ERROR_INPUT: an output of a timed call was wrong, the step
// failed, or it was faster than the card's memory allows. KL_ERROR_LIMIT: the machine is unfit, for
// the baseline against itself is not 1.
kl_status ladder_compare_speed(const ladder_comparison *comparison, ladder_speed *out_speed,
                               kl_error *err);

// Time of one call of the step in one fresh process, every set of inputs used and every output
// verified: one of the measurements that a comparison is made of. It needs no baseline. Errors as
// above.
kl_status ladder_time_step(const ladder_comparison *comparison, double *out_s, kl_error *err);

#endif
