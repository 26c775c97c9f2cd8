// SPDX-License-Identifier: MIT
// Which submissions of a class are alike: fingerprints of each step file by winnowing (Schleimer,
// Wilkerson and Aiken, SIGMOD 2003) over its tokens, names and numbers made the same, comments left
// out. What the skeleton gives is taken out first, and what much of the class has in common does
// not count. A hint where to look, and no more: short kernels that are right are alike.
#ifndef LADDER_CLASS_SIMILAR_H
#define LADDER_CLASS_SIMILAR_H

#include <stdint.h>

#include "grade/rubric/lab.h"

// The fingerprints of one submission's files, sorted, each once.
typedef struct ladder_prints {
    uint64_t *items; // [count]
    size_t count;    // of items
} ladder_prints;

// texts: [steps of the lab], NULL where there is no file. without: of the skeleton; NULL: nothing.
kl_status ladder_prints_make(const char *const *texts, int count, const ladder_prints *without,
                             ladder_prints *out_prints, kl_error *err);
void ladder_prints_free(ladder_prints *prints);

// Of the smaller one's fingerprints the share that the other one has, too; 0 where one of them has
// too few to say anything.
double ladder_prints_alike(const ladder_prints *a, const ladder_prints *b);

// Takes out what more than half of a class of ten or more has: every solution has to say it.
void ladder_prints_drop_common(ladder_prints *all, size_t count);

// Two submissions that are alike.
typedef struct ladder_pair {
    size_t a, b;  // indices, a < b
    double alike; // ladder_prints_alike of the two, 0 .. 1
} ladder_pair;

enum { LADDER_PAIRS_MAX = 50 };

// The most similar pairs that are at least `least` alike, the most alike first; returns how many.
int ladder_similar_pairs(const ladder_prints *all, size_t count, double least,
                         ladder_pair out_pairs[LADDER_PAIRS_MAX]);

#endif
