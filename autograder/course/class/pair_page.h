// SPDX-License-Identifier: MIT
// Two submissions that are alike, side by side: the step files that both have, line by line. Loads
// nothing and runs nothing.
#ifndef LADDER_CLASS_PAIR_PAGE_H
#define LADDER_CLASS_PAIR_PAGE_H

#include <stdio.h>

#include "grade/rubric/lab.h"

// What the page shows; all of it is the caller's.
typedef struct ladder_pair_page {
    const ladder_lab *lab;         // whose steps these are
    double alike;                  // 0 .. 1
    const char *shown[2];          // whose submissions, as pages name them
    const char *pages[2];          // files of their pages
    const char *const *sources[2]; // [steps of the rubric] each; NULL: no such file
} ladder_pair_page;

// "pair_3.html", of the pair's index; out: [32]. Returns out.
char *ladder_pair_file(int index, char *out);

// Writes the page; what could not be written is seen in the stream.
void ladder_pair_html(const ladder_pair_page *page, FILE *out);

#endif
