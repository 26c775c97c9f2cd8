// SPDX-License-Identifier: MIT
// What the files of this module share: the state of one grading. Other modules see grading.h only.
#ifndef LADDER_GRADING_PARTS_H
#define LADDER_GRADING_PARTS_H

#include "course/class/run.h"
#include "course/grading/grading.h"
#include "grade/judge/thresholds.h"
#include "grade/submission/step_cache.h"

typedef struct ladder_grading {
    ladder_grading_options options;
    ladder_kit kit;
    const ladder_lab *lab;
    ladder_cases cases;
    ladder_judge judge;
    ladder_step_cache compiled;
    ladder_thresholds thresholds; // of this card, if it was calibrated
    ladder_submission *list;
    size_t count;
    ladder_late_policy policy;
    ladder_mark_change *changes; // [count], as all rows
    ladder_row *rows;
    char output[LADDER_PATH];
    char work[LADDER_PATH];     // for all private folders; "" until it is made
    char baseline[LADDER_PATH]; // in it, "" when there is none
    char device[320];           // for reports
    uint64_t seed;              // of the inputs, once it is drawn
} ladder_grading;

// submissions.c: what is graded, and the folder of its results.

// Whether it is one's own, or the kit's.
bool ladder_grading_is_own(const ladder_grading *g);
kl_status ladder_grading_submissions(ladder_grading *g, kl_error *err);

// setup.c: how it is graded.

kl_status ladder_grading_build_adapter(const ladder_grading *g, kl_error *err);
// Processor time of a submission, seconds.
double ladder_grading_submission_limit(const ladder_grading *g);
// A secret one, or that of the stopped run that goes on.
kl_status ladder_grading_seed(ladder_grading *g, kl_error *err);
// The judge: device, thresholds, limits, shares of the machine.
kl_status ladder_grading_judge(ladder_grading *g, kl_error *err);
// Inputs, answers, and what steps are compared with.
kl_status ladder_grading_cases(ladder_grading *g, kl_error *err);
// Compiled steps. One's own are kept beside the build; those of a class last as long as its run.
kl_status ladder_grading_cache(ladder_grading *g, kl_error *err);

// results.c: what is told and written when all rows are there; into the gradebook, too.
kl_status ladder_grading_results(const ladder_grading *g, ladder_grading_end *out_end,
                                 kl_error *err);

#endif
