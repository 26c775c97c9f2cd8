// SPDX-License-Identifier: MIT
// Lines of a step's file that its report speaks of, with lines around them, as HTML; and where the
// lab's page has the theory of a step.
#ifndef LADDER_REPORT_EXCERPT_H
#define LADDER_REPORT_EXCERPT_H

#include <stdbool.h>

#include "show/report/report.h"

// Lines that the checker's findings, the compiler and the failures name in `file`. Nothing where
// they name none.
void ladder_put_excerpt(const ladder_step_result *step, const char *file, const char *source,
                        FILE *out);

// The heading of the lab's README.md whose "(step 3)", "(steps 1 to 3)" or "(steps 7 and 8)"
// includes the step, below "## Theory". False: there is none.
bool ladder_theory_heading(const char *readme, int step, char *out, size_t out_bytes);

#endif
