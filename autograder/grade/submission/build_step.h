// SPDX-License-Identifier: MIT
// The grader's own build of one step: a private folder that holds nothing but the step's file and
// the lab's contract, the kit's one set of compiler flags, limits, and the audit of what the object
// asks for. Nothing that a submission brings (makefiles, other sources) takes part.
#ifndef LADDER_SUBMISSION_BUILD_STEP_H
#define LADDER_SUBMISSION_BUILD_STEP_H

#include "grade/rubric/lab_files.h"
#include "sandbox/process/process.h"
#include "grade/rubric/result.h"
#include "grade/submission/step_cache.h"

// A step to be built.
typedef struct ladder_build_job {
    const ladder_kit *kit;          // where the lab's contract lies
    const ladder_lab *lab;          // of the step
    const ladder_rubric_step *step; // of the rubric
    const char *folder;             // private, exists; the step's own folder is made inside
    const char *source;             // the text of the file
    size_t source_bytes;            // of source
    double limit_s; // processor time of each of the two compiler runs; see PATIENCE in build_step.c
    double slowness;                // of the machine (sandbox/process/machine.h)
    uint64_t memory_bytes;          // of the compiler, all of its processes together; 0: no limit
    const ladder_step_cache *cache; // of compiled steps; NULL: none
    int least_sm; // what it is compiled for at least (ladder_nvcc_architecture); 0: the build's own
} ladder_build_job;

// Builds <folder>/step_<n>/step_<n>.so. out_object: [LADDER_PATH]. On a fault of the submission the
// result's outcome, message and log say which; CORRECT stands for "built". Anything else is a
// failure of the grader.
kl_status ladder_build_step(const ladder_build_job *job, char *out_object,
                            ladder_step_result *out_result, kl_error *err);

// Tries once for a build folder whether the compiler runs in the sandbox, with a kernel of the
// kit's own, and gives the sandbox up where it does not (sandbox/process/sandbox.h).
void ladder_build_try_sandbox(const ladder_kit *kit);

#endif
