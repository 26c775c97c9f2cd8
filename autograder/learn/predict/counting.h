// SPDX-License-Identifier: MIT
// Counts of steps on one case, taken when a formula first asks for them: one call of a step on the
// simulator, whatever the machine. They are exact and the same each time.
#ifndef LADDER_PREDICT_COUNTING_H
#define LADDER_PREDICT_COUNTING_H

#include "grade/points/counts.h"
#include "grade/rubric/lab_files.h"

enum { LADDER_COUNTING_STEPS = 32 };

// The case, and the counts that were taken so far.
typedef struct ladder_counting {
    const ladder_kit *kit; // where programs lie
    const ladder_lab *lab; // whose steps are counted
    const char *family;    // of the case: what its inputs are like
    int64_t size;          // of the case
    bool solution;         // the solution's steps instead of the student's
    bool past;             // modelled times of the last runs will do (times.h)
    int count;             // of taken
    struct {
        int step;
        ladder_counts counts;
    } taken[LADDER_COUNTING_STEPS]; // counts by step
} ladder_counting;

// Value of a formula whose plain names stand for `step`. KL_ERROR_INPUT also when a step that it
// needs does not build or run.
kl_status ladder_counting_value(ladder_counting *counting, int step, const char *formula,
                                double *out_value, kl_error *err);

#endif
