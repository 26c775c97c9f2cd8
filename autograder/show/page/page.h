// Profiles as one page of HTML that loads nothing. What a submission may have influenced (source,
// names, findings) is escaped.
#pragma once

#include "show/findings/findings.h"
#include "show/profile/profile.h"

// ---- page.c -------------------------------------------------------------------------------------

enum {
    LADDER_PAGE_PARTS = 2,         // profiles on a page: one, or before and after a change
    LADDER_PAGE_FULL = 20,         // launches that are shown in full
    LADDER_PAGE_BYTES = 1900000,   // all these together: the page stays below 2 MB
    LADDER_PAGE_MAP_BYTES = 900000 // of these, maps of accesses, in equal shares
};

// One of the profiles on a page.
typedef struct ladder_page_part {
    const char *title;             // "lab 02_reduction, step 1"
    const ladder_profile *profile; // what was counted
    const ladder_checks *checks;   // NULL: nobody looked
} ladder_page_part;

// In full: launches that failed, the first of each kernel, then the others in order, as many as
// fit.
kl_status ladder_page_write(const ladder_page_part *parts, int count, FILE *out, kl_error *err);

// ---- source, PTX and machine code ---------------------------------------------------------------

// Source, PTX and machine code of kernels side by side, for `ladder show --html`.
void ladder_joined_page(const ladder_joined *joined, int count, const char *title, FILE *out);

// ---- text.cmake ---------------------------------------------------------------------------------
// What text.cmake builds in: the page's style, its script and the glossary.

// The style sheet of a profile's page.
extern const char ladder_page_style[];
// Its script.
extern const char ladder_page_script[];
// docs/glossary.md.
extern const char ladder_page_glossary[];
// The style sheet of the page of a recording (learn/debug).
extern const char ladder_replay_style[];
// Its script.
extern const char ladder_replay_script[];
// The style sheet of the page of a timeline (show/trace).
extern const char ladder_trace_style[];
// Its script.
extern const char ladder_trace_script[];
