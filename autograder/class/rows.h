// SPDX-License-Identifier: MIT
// What a class knows of each submission, a row, and its reports: a table, a CSV file, JSON.
#ifndef LADDER_CLASS_ROWS_H
#define LADDER_CLASS_ROWS_H

#include <stdio.h>

#include "rubric/lab.h"
#include "rubric/result.h"
#include "table.h"

// A row of the class: what the summary needs, kept beside each report so that a stopped run can go
// on.
typedef struct ladder_row {
    char id[96], title[LADDER_TITLE], hash[LADDER_SHA256_TEXT];
    bool done; // false: the grading of this submission itself failed
    bool ungradable;
    double score, points, points_max;
    int step_count;
    struct {
        int step;
        ladder_outcome outcome;
        double points, points_max;
    } steps[LADDER_STEPS_MAX];
} ladder_row;

void ladder_row_from(const ladder_result *result, ladder_row *out_row);
// The row as a few lines of text in a file. Reading gives false when there is none or it is
// damaged.
kl_status ladder_row_write(const ladder_row *row, const char *path, kl_error *err);
bool ladder_row_read(const char *path, ladder_row *out_row);

void ladder_class_table(const ladder_row *rows, size_t count, const kl_style *style, FILE *out);
void ladder_class_csv(const ladder_row *rows, size_t count, FILE *out);
kl_status ladder_class_json(const ladder_lab *lab, const ladder_row *rows, size_t count, FILE *out,
                            kl_error *err);

#endif
