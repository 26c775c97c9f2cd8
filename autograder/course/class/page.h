// SPDX-License-Identifier: MIT
// The page of a class: distribution by step, common mistakes, the slowest step, pairs that are
// alike, what could not be graded. Loads nothing and runs nothing.
#ifndef LADDER_CLASS_PAGE_H
#define LADDER_CLASS_PAGE_H

#include "course/class/leaderboard.h"
#include "course/class/similar.h"
#include "course/class/summary.h"

// What the page shows; all of it is the caller's.
typedef struct ladder_class_page {
    const ladder_lab *lab;                   // whose submissions were graded
    const char *device;                      // what ran the steps, in words
    const ladder_member *members;            // [count], in the order of the list
    size_t count;                            // of members
    const ladder_distribution *distribution; // by step
    const ladder_pair *pairs;                // indices of members
    int pair_count;                          // of pairs
    double least;                            // from which pairs are listed
    const ladder_leader *leaders;            // [leader_count], the fastest first
    size_t leader_count;                     // of leaders
    bool compared;                           // files were kept, so that pairs could be looked for
} ladder_class_page;

// What was predicted beside what was counted, a line per student and number (CSV).
void ladder_class_predictions_csv(const ladder_class_page *page, FILE *out);

// Writes the page; what could not be written is seen in the stream.
void ladder_class_html(const ladder_class_page *page, FILE *out);
// The same as JSON (ladder.report/1).
kl_status ladder_class_page_json(const ladder_class_page *page, FILE *out, kl_error *err);

#endif
