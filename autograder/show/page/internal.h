// SPDX-License-Identifier: MIT
// What the files of this module share.
#ifndef LADDER_PAGE_INTERNAL_H
#define LADDER_PAGE_INTERNAL_H

#include "show/page/glossary.h"
#include "show/page/page.h"

// Accesses of one kind and width on one line: copies of an unrolled loop, say.
typedef struct page_access {
    const sim_access_map *worst; // that whose worst execution has most units beyond the least
    uint32_t instructions;
    uint64_t requests, units, least;
    double lost; // units beyond the least, in cycles of an SM
    int number;  // on the page: its address is #map-LAUNCH-NUMBER
} page_access;

typedef struct page_accesses {
    uint32_t count, shown; // those of the list that had room
    page_access *list;     // most wasteful first
} page_accesses;

// A launch on the page.
typedef struct page_launch {
    const ladder_page_part *part;
    uint32_t index;  // in the part's profile
    int number;      // on the page, from 1: its address is #launch-NUMBER
    char *section;   // its HTML; NULL: not in full
    size_t bytes;    // of it
    bool full, open; // open: unfolded at first
    int code;   // its PTX and machine code: those of show/page/code.h with this number; 0: none
    bool first; // its advice opens the page
    int pair;   // before and after: the number of the launch that it is compared with; 0: none
    // While its section is made: accesses, and the HTML of their maps.
    page_accesses accesses;
    char *maps;
    size_t maps_bytes;
} page_launch;

// of_many: it is one of many launches on the page.
void page_put_launch(FILE *out, ladder_glossary *glossary, const page_launch *launch, bool of_many);

// What to change, or how it failed; the lines that it names lead to the listing.
void page_put_advice(FILE *out, ladder_glossary *glossary, const page_launch *launch);

// Nothing for a launch without traffic to device memory.
void page_put_roofline(FILE *out, ladder_glossary *glossary, const page_launch *launch);

// What the warps of an SM do; nothing for a launch without a timeline. of_many: the picture is a
// smaller one.
void page_put_timeline(FILE *out, ladder_glossary *glossary, const page_launch *launch,
                       bool of_many);

// The source with its counters, and the findings at their lines.
void page_put_source(FILE *out, ladder_glossary *glossary, const page_launch *launch);

static inline const sim_launch_report *page_report(const page_launch *launch) {
    return launch->part->profile->launches[launch->index];
}

#endif
