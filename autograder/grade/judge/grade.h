// SPDX-License-Identifier: MIT
// Grading of one submission: its files, the build of each step, judge, points.
#ifndef LADDER_JUDGE_GRADE_H
#define LADDER_JUDGE_GRADE_H

#include "grade/judge/measure.h"
#include "grade/submission/submission.h"

// Told before each part of the work: which step, and what ("building", "running", "counting").
typedef void ladder_grade_progress(void *context, int step, const char *what);

// A submission to be graded.
typedef struct ladder_grade_job {
    const ladder_judge *judge;           // limits, lab and cases
    const ladder_submission *submission; // whose files are graded
    // Holds step_<n>/step_<n>.so of the kit's solution; NULL: no speed criteria.
    const char *baseline_folder;
    const char *keep_folder;         // gets the step files as they were taken; exists. NULL: none
    ladder_grade_progress *progress; // may be NULL
    void *context;
} ladder_grade_job;

// Fills *out_result; steps that the grader itself failed on are UNGRADABLE there, and those for
// which judge->submission_s leaves no time NOT_REACHED. Makes and removes a private folder.
void ladder_grade_submission(const ladder_grade_job *given, ladder_result *out_result);

// Limits that neither the command line nor the rubric sets: processor time of a compiler run, and
// the longest wait for an answer of a runner.
#define LADDER_BUILD_SECONDS 60
#define LADDER_CASE_SECONDS  30

// Builds a step of the kit's own solution into `folder`, unless it lies there; out_object:
// [LADDER_PATH], "" in a kit without solutions.
kl_status ladder_grade_build_solution(const ladder_judge *judge, int step, const char *folder,
                                      char *out_object, kl_error *err);

// Builds the kit's own solution of the steps that speed criteria compare with, into `folder`.
kl_status ladder_grade_baselines(const ladder_judge *judge, const char *folder, kl_error *err);

#endif
