// SPDX-License-Identifier: MIT
// Outcomes of steps: see outcome.h.
#include "outcome.h"

static const struct outcome_row {
    ladder_outcome_kind kind;
    const char *word, *text;
} outcome_rows[] = {
#define LADDER_OUTCOME(id, kind, word, text) {LADDER_KIND_##kind, word, text},
#include "outcomes.def"
#undef LADDER_OUTCOME
};

ladder_outcome_kind ladder_outcome_kind_of(ladder_outcome outcome) {
    return outcome_rows[outcome].kind;
}

const char *ladder_outcome_word(ladder_outcome outcome) {
    return outcome_rows[outcome].word;
}

const char *ladder_outcome_text(ladder_outcome outcome) {
    return outcome_rows[outcome].text;
}
