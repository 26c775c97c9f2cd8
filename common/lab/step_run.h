// SPDX-License-Identifier: MIT
// Runs one step on every case of a plan: uploads inputs, poisons outputs with NaN, calls, compares,
// times. Reports each case through a callback, so that what was reached survives a crash.
#ifndef KL_STEP_RUN_H
#define KL_STEP_RUN_H

#include "ceilings.h"
#include "counts.h"
#include "plan.h"
#include "outcome.h"
#include "stats.h"
#include "step.h"

enum { KL_RUN_TEXT = KL_ERROR_TEXT };

// Also the record sent by an isolated child; no pointers.
typedef struct kl_case_result {
    int plan_index;         // -1: about the whole step
    bool begun;             // the step has begun with it
    ladder_outcome state;   // of this case; LADDER_NOT_RUN until it is known
    kl_verdict verdict;     // of the outputs, once they were compared
    kl_interval time_us;    // NaN when not timed
    int samples;            // repetitions that time_us comes from
    double prepare_us;      // NaN when not timed, or the step has no preparation
    int call;               // which call of this case was wrong, from 1
    kl_counts counts;       // of the first call, where kl_plan_counts wants them, on the simulator
    double before;          // warp instructions of this process before the last call
    double executed;        // of that call, on the simulator
    bool stopped;           // it was stopped at its ceiling of warp instructions
    char text[KL_RUN_TEXT]; // why it failed; "" otherwise
} kl_case_result;

// Receives a case's result as soon as it is known.
typedef void kl_on_case(void *context, const kl_case_result *result);

// A step to run, and on what.
typedef struct kl_step_job {
    const kl_plan *plan;       // its cases
    const kl_adapter *adapter; // of the lab
    const kl_device *device;   // the present one
    int number;                // of the step, -1: the vendor's library
    kl_step step;              // loaded
    kl_part parts;             // of the plan that are run, those prepared; 0: all
    bool limited;              // calls have ceilings on the simulator (instruction_ceiling.h)
    bool solution;             // the step is the solution's
    int repetitions;           // of a timing on a GPU
} kl_step_job;

// Uses CUDA in the calling process. Every case that is begun is reported twice: when it starts
// (LADDER_NOT_RUN) and with its result. Stops after a runtime error, which poisons the context.
void kl_step_run(const kl_step_job *job, kl_on_case *on_case, void *context);

// Calls the step `count` times on one case without checks or timing, for a profiler.
kl_status kl_step_launch_once(const kl_step_job *job, int plan_index, int count,
                              int *out_prepare_launches, kl_error *err);

#endif
