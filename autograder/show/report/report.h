// SPDX-License-Identifier: MIT
// Reports of a graded submission: text for a terminal, a page of HTML that needs nothing else, JSON
// (ladder.grade/1). All texts of submissions are escaped for their sink. Those of a class:
// course/class/rows.h.
#ifndef LADDER_REPORT_REPORT_H
#define LADDER_REPORT_REPORT_H

#include <stdio.h>

#include "grade/rubric/lab.h"
#include "json.h"
#include "grade/rubric/result.h"
#include "table.h"

// How a class did at each step of a lab, as quartiles: it names nobody.
typedef struct ladder_spread {
    double low, mid, high; // NaN: of too few
} ladder_spread;

// All quartiles of a class.
typedef struct ladder_distribution {
    int count;                                // submissions with a score
    ladder_spread shares[LADDER_STEPS_MAX];   // of a step's points, 0 .. 1
    ladder_spread times_us[LADDER_STEPS_MAX]; // modelled, of the common case (figures.h)
    // The same of the kit's solution; NaN where it is not known.
    double solution_us[LADDER_STEPS_MAX];
} ladder_distribution;

// What a page shows beside a result. All of it may be NULL.
typedef struct ladder_beside {
    const char *const *sources;       // [steps] text of each step's file as graded; NULL: not kept
    const char *lab_page;             // text of the lab's README.md
    const char *page;                 // address of the lab's page: an .html of the site, or an .md
    const ladder_distribution *class; // that the submission is part of
    bool shared;                      // goes to others: what names the files is left out
} ladder_beside;

// What a report is made of.
typedef struct ladder_report {
    const ladder_lab *lab;       // that was graded
    const ladder_result *result; // of the submission
    const char *device;          // "simulated NVIDIA H100", "GPU"
    const char *sandbox;         // level reached
    const char *sandbox_text;    // what that means
    ladder_beside beside;        // for HTML
} ladder_report;

// The three forms of a report. What could not be written is seen in the stream, and by JSON told.
void ladder_report_text(const ladder_report *report, const kl_style *style, FILE *out);
void ladder_report_html(const ladder_report *report, FILE *out);
kl_status ladder_report_json(const ladder_report *report, FILE *out, kl_error *err);
// The keys late_days, own_due, late_deduction, override, final_points, final_score, given_points
// and unmarked_points of the open object.
void ladder_points_json(const ladder_points *points, kl_json *json);

// The keys given and line_comments: what persons gave.
void ladder_given_json(const ladder_given *given, kl_json *json);

enum { LADDER_CRITERION_TEXT = 1200 }; // bytes of the sentence on a criterion

// Whether the value of a speed criterion is a modelled ratio: there was no GPU.
bool ladder_report_is_modelled(const ladder_criterion_result *result);

// One sentence on a criterion and what was measured: "sectors per request: 4.02 (full points up to
// 4, none at 8)", "..: modelled 3.1 x step 0 at size 65,536 (..)".
char *ladder_report_criterion(const ladder_criterion *criterion,
                              const ladder_criterion_result *result, char *text, size_t text_bytes);

// One predicted number beside what was counted: "blocks: predicted 4096, counted 2048: 2.0 times
// too high". And one sentence on all of them (of steps that are not given); "" when there is none.
char *ladder_report_prediction(const ladder_prediction *item, char *text, size_t text_bytes);
char *ladder_report_predictions(const ladder_report *report, char *text, size_t text_bytes);

// "NOT CHECKED for races ..: why", or "" where the check ran to its end.
char *ladder_report_check(const ladder_check_result *check, char *text, size_t text_bytes);

// Why nothing of a result was graded (ladder_result_unreadable), and what follows. Returns text.
char *ladder_report_unreadable(const ladder_result *result, char *text, size_t text_bytes);

// The one thing to do next.
typedef struct ladder_next {
    const kl_step_info *step;               // NULL: of the lab nothing is left to do
    char text[LADDER_CRITERION_TEXT + 192]; // what is to do, a sentence
    char command[96];                       // that helps with it
} ladder_next;

// The first step that is not right, else the criterion that lacks most points, else the next lab.
// False: nothing can be said, since the submission was not graded.
bool ladder_report_next(const ladder_report *report, ladder_next *out_next);

// "12.5", "3": points without needless digits.
char *ladder_report_points(double points, char *text, size_t text_bytes);

#endif
