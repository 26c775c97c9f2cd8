// Grading of one submission: its files, the build of each step, judge, points.
#pragma once

#include "grade/judge/plan.h"

// Grades the run's submission: fills in *run->result; steps that the grader itself failed on are
// UNGRADABLE there, and those for which plan->submission_s leaves no time NOT_REACHED. Makes and
// removes a private folder. Of the run, plan and submission are set, and what the caller wants of
// keep_folder and progress.
void ladder_grade_submission(ladder_submission_run *run);

// The result of a submission whose steps cannot be graded: this outcome for each, and no points.
// None of its files is looked at.
void ladder_grade_nothing(ladder_submission_run *run, ladder_outcome outcome, const char *message);

// What a right step counts where the student predicted it. No part of the score.
void ladder_count_predictions(ladder_submission_run *run, ladder_step_result *result);

// Builds a step of the kit's own solution into `folder`, unless it lies there; out_object:
// [LADDER_PATH], "" in a kit without solutions.
kl_status ladder_grade_build_solution(const ladder_grade_plan *plan, int step, const char *folder,
                                      char *out_object, kl_error *err);

// Builds the kit's own solution of the steps that speed criteria compare with, into `folder`.
kl_status ladder_grade_baselines(const ladder_grade_plan *plan, const char *folder, kl_error *err);

// ---- grade_submission.c: ------------------------------------------------------------------------
// The steps of one submission side by side, each in a process of its own, results in order. Nothing
// of what a step is worth depends on the others or on when it is graded.

// Fills *out_result of the step with this index.
typedef void ladder_step_worker(void *context, int index, ladder_step_result *out_result);

// Runs the worker for each of `count` steps, at most `limit` at a time; results: [count]. With a
// limit of 1, or where no process can be made, in this process. A worker that crashes takes this
// process along with it, as it would have done in it.
void ladder_steps_in_parallel(int count, int limit, ladder_step_worker *worker, void *context,
                              ladder_step_result *results);
