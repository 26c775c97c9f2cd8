// SPDX-License-Identifier: MIT
// docs/glossary.md, built in, as the answers to "what is this?".
#ifndef LADDER_PAGE_GLOSSARY_H
#define LADDER_PAGE_GLOSSARY_H

#include <stdbool.h>
#include <stdio.h>

#include "device/bounds.h"
#include "device/counters.h"
#include "device/timeline.h"

enum { LADDER_GLOSSARY_MAX = 256 };

typedef struct ladder_glossary {
    int count;
    struct ladder_term {
        const char *name, *text; // into the built-in text, not terminated
        int name_bytes, text_bytes;
        bool used;
    } terms[LADDER_GLOSSARY_MAX];
} ladder_glossary;

void ladder_glossary_read(ladder_glossary *out_glossary);
// The index of a heading; -1: there is none.
int ladder_glossary_find(const ladder_glossary *glossary, const char *heading);
// The paragraph under a heading, as HTML: without links, code as code.
void ladder_glossary_put(const ladder_glossary *glossary, int term, FILE *out);
// Writes a name of a number, which answers "what is this?".
void ladder_glossary_ask(FILE *out, ladder_glossary *glossary, const char *term, const char *label);

// Writes a sentence in which the first occurrence of each word that is a heading, in singular or
// plural ("blocks", "bank conflict"), answers "what is this?".
void ladder_glossary_ask_words(FILE *out, ladder_glossary *glossary, const char *text);

// Headings of terms.def.
const char *ladder_counter_term(sim_counter counter);
const char *ladder_bound_term(sim_bound_kind bound);
const char *ladder_phase_term(sim_warp_phase phase);

#endif
