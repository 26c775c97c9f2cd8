// SPDX-License-Identifier: MIT
// Reports of a graded submission: text for a terminal, a page of HTML that needs nothing else, JSON
// (ladder.grade/1); and of a class: a table and a CSV file. All texts of submissions are escaped for their sink.
#ifndef LADDER_REPORT_REPORT_H
#define LADDER_REPORT_REPORT_H

#include <stdio.h>

#include "kit/lab.h"
#include "kit/result.h"
#include "table.h"

typedef struct ladder_report {
    const ladder_lab *lab;
    const ladder_result *result;
    const char *device;       // "simulated NVIDIA H100", "GPU"
    const char *sandbox;      // level reached
    const char *sandbox_text; // what that means
} ladder_report;

void ladder_report_text(const ladder_report *report, const kl_style *style, FILE *out);
void ladder_report_html(const ladder_report *report, FILE *out);
kl_status ladder_report_json(const ladder_report *report, FILE *out, kl_error *err);

// One sentence on a criterion and what was measured: "4.02 sectors a request (all points at 4, none at 8)".
char *ladder_report_criterion(const ladder_criterion *criterion,
                              const ladder_criterion_result *result, char *text, size_t text_bytes);

// The first step that is not right yet, or NULL when all are.
const kl_step_info *ladder_report_next(const ladder_report *report);

// "12.5", "3": points without needless digits.
char *ladder_report_points(double points, char *text, size_t text_bytes);

// A row of the class: what the summary needs, kept beside each report so that a stopped run can go on.
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
// The row as a few lines of text in a file. Reading gives false when there is none or it is damaged.
kl_status ladder_row_write(const ladder_row *row, const char *path, kl_error *err);
bool ladder_row_read(const char *path, ladder_row *out_row);

void ladder_class_table(const ladder_row *rows, size_t count, const kl_style *style, FILE *out);
void ladder_class_csv(const ladder_row *rows, size_t count, FILE *out);
kl_status ladder_class_json(const ladder_lab *lab, const ladder_row *rows, size_t count, FILE *out,
                            kl_error *err);

#endif
