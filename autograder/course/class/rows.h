// SPDX-License-Identifier: MIT
// What a class knows of each submission (a row) and its reports: a table, a CSV file, JSON.
#ifndef LADDER_CLASS_ROWS_H
#define LADDER_CLASS_ROWS_H

#include <stdio.h>

#include "grade/rubric/lab.h"
#include "grade/rubric/result.h"
#include "table.h"

// By what a submission was graded, beside the hashes of its files and of the rubric.
typedef struct ladder_trace {
    char kit[48];                  // version and hash of its programs (ladder_class_programs)
    char device[128], sandbox[32]; // what ran the steps; the level of the sandbox
    uint64_t seed;                 // of the inputs
} ladder_trace;

// A row of the class: what the summary needs, kept beside each report so that a stopped run can go
// on.
typedef struct ladder_row {
    char id[96];                     // name of its folder of results
    char title[LADDER_TITLE];        // its name
    char hash[LADDER_SHA256_TEXT];   // of its files
    bool done;                       // false: the grading of this submission itself failed
    ladder_points points;            // what it is worth
    char rubric[LADDER_SHA256_TEXT]; // hash of the rubric that it was graded by
    ladder_trace trace;              // by what it was graded
    int step_count;                  // of steps
    struct {
        int step;
        ladder_outcome outcome;
        double points, points_max;
    } steps[LADDER_STEPS_MAX]; // in the rubric's order: number, outcome, points
} ladder_row;

// What only a class's runs hold: rows are signed with it (HMAC), so that one that somebody else
// wrote or edited is noticed.
typedef struct ladder_row_key {
    unsigned char bytes[32]; // secret
} ladder_row_key;

// Reads the key of an earlier run from a file that is this user's alone; with `fresh`, or when
// there is none such, makes a new one. *out_made: it is new, and no older row fits it.
kl_status ladder_row_key_open(const char *path, bool fresh, ladder_row_key *out_key, bool *out_made,
                              kl_error *err);

// The trace has the seed alone.
void ladder_row_from(const ladder_result *result, const ladder_lab *lab, ladder_row *out_row);

// What a row's file holds.
typedef enum ladder_row_state {
    LADDER_ROW_GOOD,
    LADDER_ROW_ABSENT,
    LADDER_ROW_FOREIGN // damaged, or not signed with this key
} ladder_row_state;

// The row as a few lines of text in a file, the last one its signature. key NULL: any signature is
// taken (of one's own last grading, which nobody else is graded by).
kl_status ladder_row_write(const ladder_row *row, const ladder_row_key *key, const char *path,
                           kl_error *err);
ladder_row_state ladder_row_read(const char *path, const ladder_row_key *key, ladder_row *out_row);

// Columns: points as graded, what being late costs, an override, the final points; scores of both.
void ladder_class_csv(const ladder_row *rows, size_t count, FILE *out);
// A title in exactly `width` columns, filled with blanks or cut.
void ladder_put_title(FILE *out, const char *title, int width);
void ladder_class_table(const ladder_row *rows, size_t count, const kl_style *style, FILE *out);
kl_status ladder_class_json(const ladder_lab *lab, const ladder_row *rows, size_t count, FILE *out,
                            kl_error *err);

#endif
