// SPDX-License-Identifier: MIT
// A lab's questions ("questions" and "selfcheck" of labs/*/lab.json) as constant data: what
// `ladder predict` asks about each step, and the self-check questions of the lab's page. ladder-lab
// (grade/description) makes the C. A lab need not have any.
#ifndef LADDER_RUBRIC_QUESTIONS_H
#define LADDER_RUBRIC_QUESTIONS_H

#include "grade/rubric/formula.h"
#include "grade/rubric/rubric.h"
#include "problem.h"

enum {
    LADDER_ASKED_LEAST = 2, // of a step
    LADDER_ASKED_MAX = 3,
    LADDER_QUESTION_NAME = 32, // bytes of a number's name, terminator included
    LADDER_VALUES_MAX = 4      // numbers in an answer
};

// One number that is asked for.
typedef struct ladder_question {
    const char *name;    // "sectors_per_request": what --answer takes
    const char *text;    // one sentence that says what is counted, and of what
    const char *unit;    // "sectors per request"
    const char *formula; // grade/rubric/formula.h
    int64_t size;        // of the case, where it is not that of the other numbers; 0: it is
} ladder_question;

// The questions of a step, all about one call of it on one case.
typedef struct ladder_asked {
    int step;                         // its number
    const char *family;               // of the case: what its inputs are like
    int64_t size;                     // of the case
    const char *none;                 // why nothing is asked; "" when something is
    const ladder_question *questions; // [count]
    int count;                        // of questions
} ladder_asked;

// A question of the lab's page with the answer that is folded away. Each {} in the answer is a
// number that the solution's step counts.
typedef struct ladder_selfcheck {
    const char *question, *answer; // Markdown
    int step;                      // of names without @; -1 when there are no numbers
    const char *family;            // of the case: what its inputs are like
    int64_t size;                  // of the case
    const char *const *formulas;   // [formula_count], one for each {}
    int formula_count;             // of formulas
} ladder_selfcheck;

// All questions of a lab.
typedef struct ladder_questions {
    const ladder_asked *asked;          // [asked_count], by step
    int asked_count;                    // of asked
    const ladder_selfcheck *selfchecks; // [selfcheck_count], in the page's order
    int selfcheck_count;                // of selfchecks
} ladder_questions;

// What is asked about this step, or NULL.
const ladder_asked *ladder_questions_find(const ladder_questions *questions, int step);

// The question of this name, or NULL.
const ladder_question *ladder_asked_find(const ladder_asked *asked, const char *name);

// The size of the case that a number is counted on.
int64_t ladder_question_size(const ladder_asked *asked, const ladder_question *question);

// The first other step, in the formula's order, that a number needs for which is_wanted says true;
// -1: it needs none.
int ladder_question_needs(const kl_problem *problem, const ladder_asked *asked,
                          const ladder_question *question,
                          bool (*is_wanted)(const void *context, int step), const void *context);

// The step before this one in the lab's order that serves the case, or -1.
int ladder_questions_step_before(const kl_problem *problem, const char *family, int step);

// Checks what the build cannot: every step has its questions or a reason for none, names differ,
// cases exist, formulas name known quantities and existing steps, answers have as many {} as
// formulas. KL_ERROR_INPUT says what is wrong.
kl_status ladder_questions_check(const ladder_questions *questions, const kl_problem *problem,
                                 bool (*quantity_known)(const char *name), kl_error *err);

#endif
