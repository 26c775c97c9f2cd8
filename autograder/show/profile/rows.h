// SPDX-License-Identifier: MIT
// The quantities of rows.def: their values and how these are written, for every reader of a profile
// alike.
#ifndef LADDER_PROFILE_ROWS_H
#define LADDER_PROFILE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "device/counters.h"

// A quantity that profiles show.
typedef struct ladder_profile_row {
    sim_counter counter, divisor; // SIM_COUNTER_COUNT: no divisor
    const char *label;            // for people
    int decimals;                 // of the value that are written
    const char *term;             // heading of docs/glossary.md
} ladder_profile_row;

// All of them, in the order of rows.def.
extern const ladder_profile_row ladder_profile_rows[];
extern const int ladder_profile_row_count;

// NaN: the divisor is 0.
double ladder_profile_row_value(const ladder_profile_row *row, const sim_counters *counters);
// Is there anything to show?
bool ladder_profile_row_applies(const ladder_profile_row *row, const sim_counters *counters);
// "-" for NaN. Returns `text`.
const char *ladder_profile_row_text(const ladder_profile_row *row, double value, char *text,
                                    size_t text_bytes);

// Shares of lookups that hit, in per cent; NaN: there were none.
typedef struct ladder_hit_rate {
    const char *label, *term;                        // for people; heading of docs/glossary.md
    double (*percent)(const sim_counters *counters); // of these counters
} ladder_hit_rate;

enum { LADDER_HIT_RATES = 2 };
extern const ladder_hit_rate ladder_hit_rates[LADDER_HIT_RATES]; // of the L1 and of the L2

#endif
