// SPDX-License-Identifier: MIT
// Where a student is in a lab: what is known of each step from its file and from how it came out
// last (last_results.h). Nothing is built or run here.
#ifndef LADDER_LESSON_PROGRESS_H
#define LADDER_LESSON_PROGRESS_H

#include "grade/rubric/lab_files.h"
#include "grade/rubric/result.h"
#include "last_results.h"

// How far a step is. Of a changed file only results of this very version count.
typedef enum ladder_step_state {
    LADDER_STEP_GIVEN,     // handed out complete
    LADDER_STEP_ABSENT,    // there is no file
    LADDER_STEP_TO_DO,     // as it was handed out
    LADDER_STEP_BEGUN,     // changed, but it still says that it is not implemented
    LADDER_STEP_CHANGED,   // not run since it was changed
    LADDER_STEP_BAD,       // wrong, or the checker found something
    LADDER_STEP_RIGHT_YET, // right in some of the lab's cases; the others were not run
    LADDER_STEP_DONE       // right in all cases, and the checker found nothing
} ladder_step_state;

// What is known of a step.
typedef struct ladder_step_progress {
    const kl_step_info *info;  // number and name
    ladder_step_state state;   // how far it is
    int64_t when_s;            // last edited or run, seconds since 1970; 0: never
    kl_last_result run, check; // of this version of the file; state "": none
    char forgotten[256];       // of LADDER_STEP_BEGUN: what is missing
} ladder_step_progress;

// What is known of a lab.
typedef struct ladder_progress {
    const ladder_lab *lab;                        // the lab
    int count;                                    // of steps, in the lab's order
    ladder_step_progress steps[LADDER_STEPS_MAX]; // [count]
    int last; // index of the step that was edited or run last; -1: none was
} ladder_progress;

// KL_ERROR_LIMIT when a path is too long; files that cannot be read count as absent.
kl_status ladder_progress_read(const ladder_kit *kit, const ladder_lab *lab,
                               ladder_progress *out_progress, kl_error *err);

// Of all labs the one in which a step was edited or run last; the first lab when none was.
kl_status ladder_progress_latest(const ladder_kit *kit, ladder_progress *out_progress,
                                 kl_error *err);

// Index of the step to go on with: the last one while it is not done, else the first behind it that
// is not, else (and where the last one was given) the first one at all; -1 when all are done.
int ladder_progress_next(const ladder_progress *progress);

#endif
