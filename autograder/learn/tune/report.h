// SPDX-License-Identifier: MIT
// What a search found, for people: a table of the best configurations, the best of each size as a
// line that --only understands, how many came to what, the faults with their reasons; and a
// picture.
#ifndef LADDER_TUNE_REPORT_H
#define LADDER_TUNE_REPORT_H

#include "table.h"
#include "learn/tune/record.h"

// What is shown.
typedef struct ladder_tune_view {
    const ladder_tune_records *records; // of which the newest count
    const int64_t *sizes;               // ascending
    int size_count;                     // of sizes
    int top;                            // configurations shown
    int map_x, map_y;                   // parameters of the picture's heat map, or -1
} ladder_tune_view;

enum { LADDER_TUNE_TOP = 40 }; // configurations shown at most

// A configuration with its records at the sizes; NULL where it has no right one.
typedef struct ladder_tune_row {
    const ladder_tune_config *config;                // of the row
    const ladder_tune_record *at[LADDER_TUNE_SIZES]; // [size_count]
    int measured;                                    // of the sizes
    double share; // geometric mean over those of rate / best rate of the size
} ladder_tune_row;

// The best configurations, those measured at more sizes first. out_rows: [LADDER_TUNE_TOP]; returns
// how many, at most view->top.
int ladder_tune_ranking(const ladder_tune_view *view, ladder_tune_row *out_rows);

// The table and the lines around it.
void ladder_tune_print(const ladder_tune_view *view, const kl_style *style, FILE *out);

// An SVG file: bars of the best at each size beside the vendor's library, and the heat map when it
// is asked for.
void ladder_tune_draw(const ladder_tune_view *view, FILE *out);

// Faults among the newest records of every configuration and size.
size_t ladder_tune_faults(const ladder_tune_view *view);

// The values of the parameters that vary over all records: "256/128/8". Returns `text`.
char *ladder_tune_values_text(const ladder_tune_records *records, const ladder_tune_config *config,
                              char *text, size_t text_bytes);

// Their names in the same way: "BM/BN/STAGES". Returns `text`.
char *ladder_tune_names_text(const ladder_tune_records *records, char *text, size_t text_bytes);

#endif
