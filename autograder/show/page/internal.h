// What the files of this module share.
#pragma once

#include "show/page/page.h"

// ---- glossary.c ---------------------------------------------------------------------------------
// docs/glossary.md, built in, as the answers to "what is this?".

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

// ladder_html in whose format such names may stand as "[[Launch|modelled time]]", the term and the
// label each a text or a "%s".
void page_html(FILE *out, ladder_glossary *glossary, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Writes a sentence in which the first occurrence of each word that is a heading, in singular or
// plural ("blocks", "bank conflict"), answers "what is this?".
void ladder_glossary_ask_words(FILE *out, ladder_glossary *glossary, const char *text);

// Headings of terms.def.
const char *ladder_counter_term(sim_counter counter);
const char *ladder_bound_term(sim_bound_kind bound);
const char *ladder_phase_term(sim_warp_phase phase);

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
    int code;   // its PTX and machine code: those of show/page/internal.h with this number; 0: none
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

// ---- code.c -------------------------------------------------------------------------------------
// PTX and machine code on the page: the text once for each kernel, and for each launch how often
// its instructions were executed. code.js puts both under the source line that is chosen.

// Numbers the texts: launches of one kernel share one (page_launch.code, from 1). Returns how many
// there are.
int page_number_codes(page_launch *launches, int count);

// Attributes of the element that holds the launch's source; nothing for a launch without code.
void page_put_code_counts(FILE *out, ladder_glossary *glossary, const page_launch *launch);

// The text with the launch's number. Appends to a growing page: the caller asks for its size.
void page_put_code_text(FILE *out, ladder_glossary *glossary, const page_launch *launch);

// ---- pairs.c ------------------------------------------------------------------------------------
// Launches before and after a change, two by two.

// Pairs the launches of the first part with those of the second: the first of a kernel's name with
// the first of that name, the second with the second. Where no name is in both, as with two steps
// of a lab, by order alone. Sets page_launch.pair.
void page_pair(page_launch *launches, int count, const ladder_page_part *parts);

// Their times side by side, and the launches that have no partner.
void page_put_pairs(FILE *out, ladder_glossary *glossary, const page_launch *launches, int count,
                    const ladder_page_part *parts);

// ---- lists of numbers ---------------------------------------------------------------------------
// Lists of numbers on the page, written in runs for the scripts: "512*17 0*3".

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

// ---- map ----------------------------------------------------------------------------------------
// What the page has from recorded accesses and branches (device/counters.h): a list of accesses by
// what they waste, a bank map or a sector map of each, boxes of bulk tensor copies with where their
// rows lie in the banks, and the tree of branches that split warps.

// Makes launch->accesses and launch->maps, the section with the list of accesses, their maps and
// the branches: most wasteful first, as much as fits into `available` bytes. Empty where nothing
// was recorded. Freed with page_maps_free, also after a failure.
kl_status page_maps_make(page_launch *launch, ladder_glossary *glossary, size_t available,
                         kl_error *err);
void page_maps_free(page_launch *launch);

// "file.cu:12", or that no line is known. line: 0: none.
void page_put_where(FILE *out, const sim_launch_report *report, uint32_t file, uint32_t line);

// Links from a source line to the accesses and boxes that are shown.
void page_put_map_links(FILE *out, const page_launch *launch, uint32_t file, uint32_t line);

// Links from a source line to the reason why an access has no map, and the list of these reasons.
void page_put_no_map_links(FILE *out, const page_launch *launch, const sim_line_counters *line);
void page_put_no_maps(FILE *out, ladder_glossary *glossary, const page_launch *launch);

// The picture of one execution, by the rules of the device, with the sentences that say the same in
// words.
void page_put_map(FILE *out, ladder_glossary *glossary, const sim_device *device,
                  const sim_access_map *access);

// The section with the boxes of bulk tensor copies and links to them from a source line, where
// there are any. Pictures as long as the whole text stays below `available` bytes.
void page_put_boxes(FILE *out, ladder_glossary *glossary, const page_launch *launch,
                    size_t available);
void page_put_box_links(FILE *out, const page_launch *launch, uint32_t file, uint32_t line);

// Branches that split warps, each inside the one around it.
void page_put_branches(FILE *out, ladder_glossary *glossary, const page_launch *launch);
