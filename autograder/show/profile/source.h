// SPDX-License-Identifier: MIT
// The source of a launch's lines, for every reader of a profile alike: which lines are shown, and
// how.
#ifndef LADDER_PROFILE_SOURCE_H
#define LADDER_PROFILE_SOURCE_H

#include "device/report.h"

// A line that is shown: its text without the indentation that all have in common, with tabs
// replaced, "" when it cannot be read. counters NULL: it did nothing. number 0: lines are left out
// here.
typedef void (*ladder_source_visit)(void *context, uint32_t number, const char *text,
                                    const sim_line_counters *counters);

// Lines [first, end) of the report, which are of one file, with what is between them; far gaps
// are folded.
void ladder_source_walk(const sim_launch_report *report, uint32_t first, uint32_t end,
                        ladder_source_visit visit, void *context);

#endif
