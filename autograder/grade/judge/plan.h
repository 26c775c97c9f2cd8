// SPDX-License-Identifier: MIT
// How submissions are graded, the same for all of them, and one submission on its way through it.
#ifndef LADDER_JUDGE_PLAN_H
#define LADDER_JUDGE_PLAN_H

#include "grade/judge/budget.h"
#include "grade/judge/cases.h"
#include "grade/rubric/lab_files.h"
#include "grade/submission/submission.h"
#include "utilities/kit.h"

// With what and within which limits a grading is done: made once, and not changed from then on.
typedef struct ladder_grade_plan {
    const ladder_kit *kit;     // where programs and sources lie
    const ladder_lab *lab;     // that is graded
    const ladder_cases *cases; // made once from a secret seed
    bool gpu;                  // the runner uses the real GPU; counts still come from the simulator
    ladder_gpu card;           // then: which one
    const char *card_folder;   // of the locks of those who use it (card.h); NULL: nobody else does
    const struct ladder_thresholds *thresholds; // calibrated ones of this card; NULL: none
    // Holds step_<n>/step_<n>.so of the kit's solution; NULL: nothing to compare speed with.
    const char *baseline_folder;
    bool first_failure;    // a step that is wrong in one case is not run in the others
    double build_s;        // limit of each compiler run
    double case_s;         // limit of each answer of the runner
    double submission_s;   // processor time of all steps of a submission; 0: no limit
    double slowness;       // of this machine (machine.h); 0: not measured, usual speed
    uint64_t instructions; // limit of a launch in the engine
    bool any_work;         // a call has no ceiling of its case's work, for tests of other defences
    uint64_t memory_bytes; // of all processes of a submission together; 0: no limit
    unsigned threads;      // of the engine; 0: all cores
    int steps_at_a_time;   // of one submission (steps_in_parallel.h)
    const struct ladder_step_cache *compiled; // NULL: none
} ladder_grade_plan;

// Limits that neither the command line nor the rubric sets: processor time of a compiler run, and
// the longest wait for an answer of a runner.
#define LADDER_BUILD_SECONDS 60
#define LADDER_CASE_SECONDS  30

// Memory of all processes of a submission together, where the command line says no other: a quarter
// of the machine's for all that are graded at a time, which leaves it usable, but 4 GiB at most and
// no less than 1 GiB for each, with which the solutions of labs 07, 09 and 10 have all points.
#define LADDER_SUBMISSION_MEMORY       (UINT64_C(4) << 30)
#define LADDER_SUBMISSION_MEMORY_LEAST (UINT64_C(1) << 30)
// machine_bytes: ladder_memory_of_machine; 0, not known: 4 GiB.
uint64_t ladder_submission_memory(uint64_t machine_bytes, int64_t at_a_time);
// How many submissions such a machine should grade at a time, at most: half of its memory holds the
// least of each.
int64_t ladder_submissions_at_a_time(uint64_t machine_bytes);

// Told before each part of the work: which step, and what ("building", "running", "counting").
typedef void ladder_grade_progress(void *context, int step, const char *what);

// A submission while it is graded. Steps that are graded in parallel each have a process, and so a
// run, of their own.
typedef struct ladder_submission_run {
    const ladder_grade_plan *plan;       // by which it is graded
    const ladder_submission *submission; // whose files are graded
    const char *keep_folder;         // gets the step files as they were taken; exists. NULL: none
    ladder_grade_progress *progress; // may be NULL
    void *context;                   // of progress
    ladder_budget *budget;           // time that is left; NULL: no limit
    int beside;                      // steps graded at a time, which share its memory; 0: this one
    const char *folder;              // private, with what is compiled
    ladder_result *result;           // of all steps
    // The step that is being graded:
    const ladder_rubric_step *step;  // of the rubric
    const char *object;              // its shared object
    const char *step_folder;         // private: in which it runs
    ladder_step_result *step_result; // receives outcome, log, points and time
} ladder_submission_run;

// Tells the watcher of the run what is done to a step now.
void ladder_run_tell(const ladder_submission_run *run, int step, const char *what);

// Memory of the step that is being graded, all of its processes together; 0: no limit.
uint64_t ladder_run_memory(const ladder_submission_run *run);

// From now on this step is graded.
void ladder_run_step(ladder_submission_run *run, const ladder_rubric_step *step, const char *object,
                     const char *folder, ladder_step_result *result);

#endif
