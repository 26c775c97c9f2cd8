// SPDX-License-Identifier: MIT
// Lines of a step's file that its report speaks of, with lines around them, as HTML; and where the
// lab's page has the chapter of a step.
#ifndef LADDER_REPORT_EXCERPT_H
#define LADDER_REPORT_EXCERPT_H

#include <stdbool.h>
#include <stdint.h>

#include "show/report/report.h"

// Lines that the checker's findings, the compiler and the failures name in `file`. Nothing where
// they name none.
void ladder_put_excerpt(const ladder_step_result *step, const char *file, const char *source,
                        FILE *out);

// Line `number` of `source` without its indent and its end; false: there is none, or it is empty.
bool ladder_source_line(const char *source, uint32_t number, char *out, size_t out_bytes);

// The heading of the chapter of the lab's README.md that is about the step: "## Step 3: tiled",
// "## Steps 1 to 3: ..", "## Steps 7 and 8: ..". False: there is none.
bool ladder_chapter_heading(const char *readme, int step, char *out, size_t out_bytes);

// The address of this heading on the lab's page: `page` with the fragment that an .md file, or an
// .html page of the documentation site, has for it. Returns `out`.
const char *ladder_section_address(const char *page, const ladder_lab *lab, const char *heading,
                                   char *out, size_t out_bytes);

#endif
