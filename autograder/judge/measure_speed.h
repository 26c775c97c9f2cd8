// SPDX-License-Identifier: MIT
// Speed of a step on a GPU, as the ratio of two times taken side by side. The judge holds the
// clock: it times k and 2k calls from outside, and the slope is the time of a call; outputs of all
// timed calls are verified.
#ifndef LADDER_JUDGE_MEASURE_SPEED_H
#define LADDER_JUDGE_MEASURE_SPEED_H

#include "judge/judge.h"
#include "stats.h"

typedef struct ladder_speed_job {
    const ladder_judge *judge;
    const ladder_criterion *criterion;
    const char *baseline_object; // the kit's own build of step criterion->over
    const char *step_object;
    int step;
    const char *folder; // private
    double tolerance;   // of the baseline against itself; above, the machine is unfit to time on
    // Of outputs, after one timing; 0: 256 MiB. When not all fit, a random choice after some
    // timings is compared.
    uint64_t compare_bytes;
    double (*now_s)(void); // the clock; NULL: kl_now_s
    ladder_step_result *result;
} ladder_speed_job;

// What the baseline against itself may differ from 1 by on a GPU.
#define LADDER_SPEED_TOLERANCE 0.03

// time(baseline) / time(step): median over fresh processes with its interval. KL_ERROR_INPUT: an
// output of a timed call was wrong, or the step failed. KL_ERROR_LIMIT: the machine is unfit, for
// the baseline against itself is not 1.
kl_status ladder_measure_speed(const ladder_speed_job *job, kl_interval *out_ratio, kl_error *err);

// Time of one call of the step in one fresh process, every set of inputs used and every output
// verified: one of the measurements that a race is made of. The job needs no baseline. Errors as
// above.
kl_status ladder_time_step(const ladder_speed_job *job, double *out_s, kl_error *err);

#endif
