// SPDX-License-Identifier: MIT
// What tables and figures look up in a lab's run (ladder.run/1, as `ladder run LAB --json` wrote
// it).
#ifndef LADDER_TOOLS_MEASURED_H
#define LADDER_TOOLS_MEASURED_H

#include <jansson.h>

// What a run's rates are, and the ceiling they are held against.
typedef struct measured_rates {
    const char *what, *ceiling_name, *unit, *share, *format;
    double ceiling; // in `unit`; 0: not measured
} measured_rates;

measured_rates measured_rates_of(const json_t *run);

// The step whose number is the highest.
const json_t *measured_last_step(const json_t *run);

// The case of this name and size; NULL when the run has none.
const json_t *measured_case(const json_t *run, const char *family, long long size);
// The case that the ladder's table shows.
const json_t *measured_main_case(const json_t *run);

// A step's result in a case, if it was timed there; else NULL.
const json_t *measured_result(const json_t *step, const char *family, long long size);

#endif
