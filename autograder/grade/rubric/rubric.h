// SPDX-License-Identifier: MIT
// A lab's rubric, the criteria of its description (labs/*/lab.json), as constant data. ladder-lab
// (grade/description) makes the C, so that no JSON is parsed at run time; it refuses fields and
// values that it does not know.
#ifndef LADDER_RUBRIC_RUBRIC_H
#define LADDER_RUBRIC_RUBRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "problem.h"

// What a criterion judges.
typedef enum ladder_criterion_kind {
    LADDER_CRITERION_CORRECT, // every correctness case of the lab's suite is right
    LADDER_CRITERION_COUNT,   // a counted quantity of one call, on the simulator
    // time against that of another step of the kit's solution: measured on a GPU, modelled without
    LADDER_CRITERION_SPEED,
    // every number that is asked about the step was predicted before the step's first run
    // (grade/rubric/predictions.h), whatever was predicted; no lab of the kit has it, an instructor
    // may
    LADDER_CRITERION_PREDICTED
} ladder_criterion_kind;

enum { LADDER_WITH_MAX = 6 }; // further bounds of one criterion

// A counted quantity of one call between the value that earns nothing and the one that earns all.
typedef struct ladder_bound {
    const char *text;    // for people
    const char *counter; // a name of counters.def, or "launches"; several, with blanks: their sum
    const char *per;     // divisor: another counter, "element", "launch", or "call" for none
    const char *family;  // of the case; "": that of the criterion
    int64_t size;        // of the case, where the family is given
    double full, zero;   // value that earns all points, and none
} ladder_bound;

// What a speed criterion asks for where its time is modelled, on one simulated device. Made from
// the lab's measured runs (labs/modelled.json).
typedef struct ladder_modelled {
    const char *device; // its name, as devices.def has it
    int64_t size;       // of the case of the criterion's family whose modelled time is taken
    double over_us;     // modelled time of the kit's own solution of step `over` there
    double full, zero;  // ratio that earns all points, and none
} ladder_modelled;

// What earns points.
typedef struct ladder_criterion {
    ladder_criterion_kind kind; // what is judged
    double points;              // that it can earn
    const char *text;           // one sentence for people
    // When students see it on a course system, as Gradescope says it ("after_published", ..); NULL:
    // at once
    const char *hidden;
    const char *counter; // count: as in ladder_bound
    const char *per;     // count: as in ladder_bound
    const char *family;  // count, speed: the case that is measured
    int64_t size;        // of that case
    double full, zero; // value that earns all points, and none; linear between (speed: logarithmic)
    int over;          // speed: time(step `over`) / time(this step)
    // count: what must hold as well; the least share of all of them counts, so that "few loads" is
    // not earned by a kernel that does something else.
    const ladder_bound *with;
    int with_count;
    const ladder_modelled *modelled; // speed: by device
    int modelled_count;
    const char *unmodelled; // speed: why there are none; NULL: not said
} ladder_criterion;

// A step, and what earns its points.
typedef struct ladder_rubric_step {
    int step;                         // its number
    const char *file;                 // the only file that is taken from a submission for it
    bool given;                       // handed out complete
    const ladder_criterion *criteria; // [criteria_count]
    int criteria_count;               // of criteria
} ladder_rubric_step;

// A lab's rubric.
typedef struct ladder_rubric {
    const char *note;   // "" when there is none
    const char *hash;   // SHA-256 of what grading goes by: this table without its note
    bool work_log;      // a work log is asked for: a report says when it is missing
    bool app_after_run; // `ladder run LAB` without further choices ends with the lab's application
    // ladder_rubric_speed_hash when labs/modelled.json was made; NULL: the lab is not in it
    const char *modelled_of;
    // [allow_import_count]: symbols that steps of this lab may import beyond the usual ones
    const char *const *allow_imports;
    int allow_import_count;   // of allow_imports
    double build_s, case_s;   // wall limits; 0: the autograder's own
    double submission_s;      // processor time of all steps together; 0: the autograder's own
    uint64_t instructions;    // of a launch, in warp instructions; 0: the engine's own
    uint64_t read_back_bytes; // that a call may bring to the host
    // Of an answer's bytes, that may come from a fill or be left as they were where there is work.
    double plain_share;
    const ladder_rubric_step *steps;
    int step_count;
} ladder_rubric;

// The rubric's row of this step, or NULL.
const ladder_rubric_step *ladder_rubric_find(const ladder_rubric *rubric, int step);
// Whether counts of the step close its speed criteria to earlier steps.
bool ladder_rubric_has_counts(const ladder_rubric_step *row);

// Points that a step can earn with a GPU, and without one on this simulated device (its name).
double ladder_rubric_points(const ladder_rubric_step *step, bool gpu, const char *device);

// Share of a criterion's points for a value, in [0, 1]. NaN earns nothing. Without its further
// bounds.
double ladder_criterion_share(const ladder_criterion *criterion, double value);
// The same of one further bound, and of a modelled ratio of times.
double ladder_bound_share(const ladder_bound *bound, double value);
double ladder_modelled_share(const ladder_modelled *modelled, double ratio);
// Of a ratio of times: between the two values equal factors are equal steps.
double ladder_ratio_share(double full, double zero, double ratio);

// How a speed criterion is graded where its time is modelled, on this device; NULL: not at all.
const ladder_modelled *ladder_criterion_modelled(const ladder_criterion *criterion,
                                                 const char *device);

// Checks what the build cannot: known counters and families, files and steps that agree with the
// problem, counts that cannot be diluted (dilution.h). KL_ERROR_INPUT says what is wrong.
// counter_known may be NULL.
kl_status ladder_rubric_check(const ladder_rubric *rubric, const kl_problem *problem,
                              bool (*counter_known)(const char *name), kl_error *err);

#endif
