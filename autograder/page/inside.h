// SPDX-License-Identifier: MIT
// What the files of this room share.
#ifndef LADDER_PAGE_INSIDE_H
#define LADDER_PAGE_INSIDE_H

#include "page/glossary.h"
#include "page/page.h"

// A launch on the page.
typedef struct page_launch {
    const ladder_page_part *part;
    uint32_t index;  // in the part's profile
    int number;      // on the page, from 1: its address is #launch-NUMBER
    char *section;   // its HTML; NULL: not in full
    size_t bytes;    // of it
    bool full, open; // open: unfolded at first
    int code;        // its PTX and machine code: those of page/code.h with this number; 0: none
    int pair;        // before and after: the number of the launch that it is compared with; 0: none
} page_launch;

void page_put_launch(FILE *out, ladder_glossary *glossary, const page_launch *launch);

// Nothing for a launch without traffic to device memory.
void page_put_roofline(FILE *out, ladder_glossary *glossary, const page_launch *launch);

// The source with its counters, and the findings at their lines.
void page_put_source(FILE *out, ladder_glossary *glossary, const page_launch *launch);

static inline const sim_launch_report *page_report(const page_launch *launch) {
    return launch->part->profile->launches[launch->index];
}

#endif
