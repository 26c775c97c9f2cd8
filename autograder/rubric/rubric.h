// SPDX-License-Identifier: MIT
// A lab's rubric (labs/*/rubric.json) as constant data. rubric.cmake turns the JSON into C at build
// time, so that no JSON is parsed at run time; it refuses keys and values that it does not know.
#ifndef LADDER_RUBRIC_RUBRIC_H
#define LADDER_RUBRIC_RUBRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "problem.h"

typedef enum ladder_criterion_kind {
    LADDER_CRITERION_CORRECT, // every correctness case of the lab's suite is right
    LADDER_CRITERION_COUNT,   // a counted quantity of one call, on the simulator
    // measured time against that of another step of the kit's solution, on a GPU
    LADDER_CRITERION_SPEED,
    // every number that is asked about the step was predicted before the step's first run
    // (rubric/predictions.h), whatever was predicted; no lab of the kit has it, an instructor may
    LADDER_CRITERION_PREDICTED
} ladder_criterion_kind;

typedef struct ladder_criterion {
    ladder_criterion_kind kind;
    double points;
    const char *text;    // one sentence for people
    const char *counter; // count: a name of counters.def, or "launches"
    const char *per;     // count: divisor: another counter, "element", "launch", or "call" for none
    const char *family;  // count, speed: the case that is measured
    int64_t size;
    double full, zero; // value that earns all points, and none; linear between (speed: logarithmic)
    int over;          // speed: time(step `over`) / time(this step)
} ladder_criterion;

typedef struct ladder_rubric_step {
    int step;
    const char *file; // the only file that is taken from a submission for it
    bool given;
    const ladder_criterion *criteria;
    int criteria_count;
} ladder_rubric_step;

typedef struct ladder_rubric {
    const char *note;   // "" when there is none
    bool app_after_run; // `ladder run LAB` without further choices ends with the lab's application
    const char *const *allow_imports;
    int allow_import_count;
    double build_s, case_s; // wall limits; 0: the autograder's own
    uint64_t instructions;  // of a launch, in warp instructions; 0: the engine's own
    const ladder_rubric_step *steps;
    int step_count;
} ladder_rubric;

// The rubric's row of this step, or NULL.
const ladder_rubric_step *ladder_rubric_find(const ladder_rubric *rubric, int step);

// Points that a step can earn: all, and without those that need a GPU.
double ladder_rubric_points(const ladder_rubric_step *step, bool with_speed);

// Share of a criterion's points for a value, in [0, 1]. NaN earns nothing.
double ladder_criterion_share(const ladder_criterion *criterion, double value);

// Checks what the build cannot: known counters and families, files and steps that agree with the
// problem. KL_ERROR_INPUT says what is wrong. counter_known may be NULL.
kl_status ladder_rubric_check(const ladder_rubric *rubric, const kl_problem *problem,
                              bool (*counter_known)(const char *name), kl_error *err);

#endif
