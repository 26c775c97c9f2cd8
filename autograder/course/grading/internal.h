// What the files of this module share: one grading, and what its plan and its class point to.
#pragma once

#include "course/grading/grading.h"
#include "grade/speed/speed.h"

typedef struct ladder_grading {
    const ladder_grade_request *request;
    ladder_grade_plan plan; // made by ladder_grading_plan
    ladder_class class;     // its count is that of all lists here
    ladder_kit kit;
    ladder_cases cases;
    ladder_step_cache compiled;
    ladder_thresholds thresholds; // of this card, if it was calibrated
    ladder_submission *list;
    ladder_layout layout; // of a class
    ladder_late_policy policy;
    ladder_points_change *changes;
    ladder_given *given; // by persons; NULL: without a gradebook
    bool quick;          // small cases
    ladder_row *rows;    // [class.count]
    ladder_trace trace;
    char output[LADDER_PATH];
    ladder_lock lock;             // of the output
    char work[LADDER_PATH];       // for all private folders; "" until it is made
    char baseline[LADDER_PATH];   // in it
    char job_folder[LADDER_PATH]; // of a job of a cluster
    char device[320];             // for reports
    uint64_t seed;                // of the inputs, once it is drawn
} ladder_grading;

// submissions.c: what is graded, and the folder of its results.

// Whether it is one's own, or the kit's.
bool ladder_grading_is_own(const ladder_grading *g);
kl_status ladder_grading_submissions(ladder_grading *g, kl_error *err);

// plan.c: how it is graded.

kl_status ladder_grading_build_adapter(const ladder_grading *g, kl_error *err);
// A secret seed, or that of the stopped run that goes on.
kl_status ladder_grading_seed(ladder_grading *g, kl_error *err);
// The plan, with device, limits, compiled steps, inputs and answers, and what steps are compared
// with; and how many submissions are graded at a time.
kl_status ladder_grading_plan(ladder_grading *g, kl_error *err);
// Processor time of a submission, seconds.
double ladder_grading_submission_limit(const ladder_grading *g);
// KL_ERROR_SYSTEM where others' work would run without a sandbox, and nobody allows that.
kl_status ladder_grading_require_sandbox(const ladder_grading *g, kl_error *err);

// grading.c: a class that others grade; fills in the rows. Of a dry run: prints the job's script.
kl_status ladder_grading_by_slurm(ladder_grading *g, kl_error *err);

// What is told and written when all rows are there; into the gradebook, too.
kl_status ladder_grading_results(ladder_grading *g, ladder_grading_end *out_end, kl_error *err);
// What being late costs each; slip days: those of changes, or all.
void ladder_grading_late(ladder_grading *g, bool book_knows);
