// SPDX-License-Identifier: MIT
// Where a lab's sources and programs lie in the kit, and how they are brought up to date.
#ifndef LADDER_RUBRIC_LAB_FILES_H
#define LADDER_RUBRIC_LAB_FILES_H

#include "grade/rubric/lab.h"
#include "utilities/kit.h"

// The lab's program, and a step's source file: the student's, or the solution's. out:
// [LADDER_PATH].
kl_status ladder_kit_lab_program(const ladder_kit *kit, const ladder_lab *lab, char *out,
                                 kl_error *err);
kl_status ladder_kit_step_file(const ladder_kit *kit, const ladder_lab *lab,
                               const kl_step_info *step, bool solution, char *out, kl_error *err);
// KL_ERROR_INPUT, with the sentence that every command says then, when this kit has no solution of
// one of these steps ([count]; 0: of any step at all), or of `file` of the lab's solutions.
kl_status ladder_kit_require_solution(const ladder_kit *kit, const ladder_lab *lab,
                                      const int *steps, int count, kl_error *err);
kl_status ladder_kit_require_solution_file(const ladder_kit *kit, const ladder_lab *lab,
                                           const char *file, kl_error *err);
// The steps that have a solution in this kit, in order; returns how many. out_steps: room for the
// lab's steps.
int ladder_kit_solved_steps(const ladder_kit *kit, const ladder_lab *lab, int *out_steps);

// Where the last results of the student's steps are kept (last_results.h); out: [LADDER_PATH].
kl_status ladder_kit_last_results(const ladder_kit *kit, const ladder_lab *lab, char *out,
                                  kl_error *err);

// Builds the lab's program, its comparison with the vendor's library if `vendor` and there is one,
// and the given steps ([count]; 0: all). KL_ERROR_INPUT where this kit has no solution of them, or
// the file of one is not there (step_files.h).
kl_status ladder_kit_build_lab(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                               int count, bool solution, bool vendor, bool *out_failed,
                               kl_error *err);

// Builds the lab's program and one step of the student's, as ladder_kit_build_until does.
struct ladder_kit_building; // sandbox/process/kit_build.h
kl_status ladder_kit_build_step(const ladder_kit *kit, const ladder_lab *lab, int step,
                                struct ladder_kit_building *building, kl_error *err);

// Whether the caller may build in the kit's build folder; not where somebody else installed it.
bool ladder_kit_is_ours(const ladder_kit *kit);

// Builds what grading asks of a lab: the adapter of its calls, and its query program if the problem
// has a query. Where the caller may not build, these must be there: KL_ERROR_SYSTEM says what is
// missing and who builds it.
kl_status ladder_kit_build_adapter(const ladder_kit *kit, const ladder_lab *lab, bool *out_failed,
                                   kl_error *err);

#endif
