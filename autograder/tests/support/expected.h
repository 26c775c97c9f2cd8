// Outcomes by the identifiers of outcomes.def, which headings of wrong kernels and attacks expect.
#pragma once

#include "grade/rubric/result.h"

static inline const char *outcome_id(ladder_outcome outcome) {
    static const char *const ids[] = {
#define LADDER_OUTCOME(id, kind, word, text) #id,
#include "outcomes.def"
#undef LADDER_OUTCOME
    };
    return ids[outcome];
}

// Whether a list like "FINDING/WRONG_ANSWER" holds the word: what a race does is chance.
static inline bool is_one_of(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, word, length) == 0 && (at[length] == '/' || at[length] == '\0'))
            return true;
    }
    return false;
}
