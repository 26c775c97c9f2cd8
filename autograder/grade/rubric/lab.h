// SPDX-License-Identifier: MIT
// The labs of this kit: a table made by the build (lab_table.c), and the names that a lab answers
// to.
#ifndef LADDER_RUBRIC_LAB_H
#define LADDER_RUBRIC_LAB_H

#include "problem.h"
#include "grade/rubric/questions.h"
#include "grade/rubric/rubric.h"

struct ladder_tune_space; // learn/tune/tune.h

// A lab.
typedef struct ladder_lab {
    const char *folder;                   // "02_reduction"
    const kl_problem *problem;            // cases, inputs, reference
    const ladder_rubric *rubric;          // steps and points
    const ladder_questions *questions;    // predictions and self-checks
    const struct ladder_tune_space *tune; // what `ladder tune` may vary (tune.def); NULL: nothing
} ladder_lab;

// All labs, ascending by folder.
extern const ladder_lab ladder_labs[];
extern const int ladder_lab_count;

// "2", "02", "reduction" or "02_reduction"; letter case and a trailing slash are ignored. NULL when
// there is none.
const ladder_lab *ladder_lab_find(const char *word);

// The same, with KL_ERROR_USAGE that lists or suggests labs.
kl_status ladder_lab_require(const char *word, const ladder_lab **out_lab, kl_error *err);

// A step by number ("3"), name ("sequential") or file ("3_sequential", "3_sequential.cu").
kl_status ladder_lab_require_step(const ladder_lab *lab, const char *word,
                                  const kl_step_info **out_step, kl_error *err);

#endif
