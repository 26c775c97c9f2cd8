// SPDX-License-Identifier: MIT
// How a step, or one of its cases, came out: the rows of outcomes.def. The lab's program and the
// grader have the same ones.
#ifndef KL_OUTCOME_H
#define KL_OUTCOME_H

// How a step, or a case of it, came out.
typedef enum ladder_outcome {
#define LADDER_OUTCOME(id, kind, word, text) LADDER_##id,
#include "outcomes.def"
#undef LADDER_OUTCOME
    LADDER_OUTCOMES
} ladder_outcome;

// What an outcome means: right, not handed in, wrong, or not the submission's fault.
typedef enum ladder_outcome_kind {
    LADDER_KIND_GOOD,
    LADDER_KIND_ABSENT,
    LADDER_KIND_BAD,
    LADDER_KIND_UNGRADABLE
} ladder_outcome_kind;

// Kind, word and sentence of an outcome.
ladder_outcome_kind ladder_outcome_kind_of(ladder_outcome outcome);
const char *ladder_outcome_word(ladder_outcome outcome); // "wrong answer"
const char *ladder_outcome_text(ladder_outcome outcome); // for people

#endif
