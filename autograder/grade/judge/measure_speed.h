// SPDX-License-Identifier: MIT
// Speed of a step on a GPU, as the ratio of two times taken side by side. The judge holds the
// clock: it times k and 2k calls from outside, and the slope is the time of a call; outputs of all
// timed calls are verified. What the ratios say is decided in interval.h. The time that it takes is
// bounded: LADDER_SPEED_SECONDS and the last pair of processes.
#ifndef LADDER_JUDGE_MEASURE_SPEED_H
#define LADDER_JUDGE_MEASURE_SPEED_H

#include "grade/judge/interval.h"
#include "grade/judge/judge.h"

// Told before each pair of processes: "step 0 against itself, pair 2", "pair 3 of 5".
typedef void ladder_speed_progress(void *context, const char *what);

// What is timed against what.
typedef struct ladder_speed_job {
    const ladder_judge *judge;         // limits, lab and cases
    const ladder_criterion *criterion; // over, family, size
    ladder_threshold threshold;        // the criterion's, or this card's
    const char *baseline_object;       // the kit's own build of step criterion->over
    const char *step_object;           // that is graded
    int step;                          // its number
    const char *folder;                // private
    double tolerance;                  // of the baseline against itself, see ladder_decide_same
    double limit_s; // no pair of processes is started later; 0: LADDER_SPEED_SECONDS
    // Of outputs, after one timing; 0: 256 MiB. When not all fit, a random choice after some
    // timings is compared.
    uint64_t compare_bytes;
    double (*now_s)(void);           // the clock; NULL: kl_now_s
    ladder_speed_progress *progress; // may be NULL
    void *context;                   // of progress
    ladder_step_result *result;      // receives log, message and time
} ladder_speed_job;

// What came out: ratio is time(baseline) / time(step).
typedef struct ladder_speed {
    kl_interval ratio, same; // same: of the baseline against itself
    int pairs, same_pairs;   // of processes
    bool doubt;              // noise still decides
    double over_s, step_s;   // of one call, the medians over processes
    double seconds;          // that the measurement took
} ladder_speed;

// What the baseline against itself may differ from 1 by, whatever its interval is.
#define LADDER_SPEED_TOLERANCE 0.01

// How long one criterion is timed, from its first process to the start of its last: a pair of
// processes takes about 2 s on a data centre's card, so 10 pairs 20 s, and all 26 pairs of a noisy
// machine fit in.
#define LADDER_SPEED_SECONDS 50

// How far above this card's roof (bytes that must move, over the memory's rate) a call may seem to
// be; beyond it has not done its work.
#define LADDER_SPEED_ROOF 1.5

// A step timed against the baseline. KL_ERROR_INPUT: an output of a timed call was wrong, the step
// failed, or it was faster than the card's memory allows. KL_ERROR_LIMIT: the machine is unfit, for
// the baseline against itself is not 1.
kl_status ladder_measure_speed(const ladder_speed_job *job, ladder_speed *out_speed, kl_error *err);

// Time of one call of the step in one fresh process, every set of inputs used and every output
// verified: one of the measurements that a race is made of. The job needs no baseline. Errors as
// above.
kl_status ladder_time_step(const ladder_speed_job *job, double *out_s, kl_error *err);

#endif
