// SPDX-License-Identifier: MIT
// Lists of numbers on the page, written in runs for the scripts: "512*17 0*3".
#ifndef LADDER_PAGE_RUNS_H
#define LADDER_PAGE_RUNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Equal values that follow each other are one entry. Begin with all zero but `out`.
typedef struct page_runs {
    FILE *out;
    char value[48]; // the last one
    uint64_t times; // that it was added
    bool some;      // was written
} page_runs;

void page_runs_add(page_runs *runs, const char *value);
void page_runs_add_number(page_runs *runs, long long value);
// Writes what is left; the list can begin anew.
void page_runs_end(page_runs *runs);

#endif
