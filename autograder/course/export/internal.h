// SPDX-License-Identifier: MIT
// What the formats of one submission share: names of steps and criteria, and what is said of each.
#ifndef LADDER_EXPORT_INTERNAL_H
#define LADDER_EXPORT_INTERNAL_H

#include "course/export/hundredths.h"
#include "show/report/report.h"

enum {
    LADDER_EXPORT_NAME = 200,       // bytes of a name
    LADDER_EXPORT_OUTPUT = 8 << 10, // of what is said of a criterion
    LADDER_EXPORT_CUT_NOTE = 64     // of the note where a text was cut
};

// Cleans a text as ladder_plain does, lines kept, and cuts it to `limit` bytes, a note included
// that says how many were left out. out: [limit + 1]; limit >= LADDER_EXPORT_CUT_NOTE. Returns out.
char *ladder_export_cut(const char *text, size_t limit, char *out);

// "step 3 sequential"; no colon, see autolab.c. out: [LADDER_EXPORT_NAME]; returns it.
char *ladder_export_step_name(const ladder_report *report, int step_index, char *out);
// "right in every case", "sectors per request": what a criterion asks for, on one line.
char *ladder_export_criterion_name(const ladder_report *report, int step_index, int criterion,
                                   char *out);

// What is said of a criterion: the sentence with its count and thresholds; of correctness, what
// became of the step, the first failed cases and the end of what it printed. out:
// [LADDER_EXPORT_OUTPUT + 1].
char *ladder_export_output(const ladder_report *report, int step_index, int criterion, char *out);

// Of what a person marks: its name, and what is said of it. out: [LADDER_EXPORT_NAME],
// [LADDER_EXPORT_OUTPUT + 1]; both return it.
char *ladder_export_given_name(const ladder_report *report, int item, char *out);
char *ladder_export_given_output(const ladder_report *report, int item, char *out);

// Why nothing of a step counts here, or why it does not earn all: one line. "" where it does.
char *ladder_export_reason(const ladder_report *report, int step_index, char *out);

// "21.50 of 30.00 points (71.67 %)", and what became of them, if anything did: "; 1 day late:
// -2.15; final: 19.35 points (64.50 %)". out: [LADDER_EXPORT_NAME].
char *ladder_export_summary(const ladder_report *report, const ladder_hundredths *marks, char *out);

// A report as students may see it: without the criteria that the rubric hides, and their points.
typedef struct ladder_shown {
    ladder_report report;    // of what follows
    ladder_hundredths marks; // its marks
    int hidden;              // criteria that count and are not in it
    ladder_lab lab;
    ladder_rubric rubric;
    ladder_rubric_step steps[LADDER_STEPS_MAX];
    ladder_criterion criteria[LADDER_STEPS_MAX][LADDER_CRITERIA_MAX];
    ladder_result result;
} ladder_shown;

// shown.c: makes it; caller frees. KL_ERROR_MEMORY.
kl_status ladder_shown_make(const ladder_report *report, ladder_shown **out_shown, kl_error *err);
// ladder_export_summary of it, and how many hidden criteria are left out. out:
// [LADDER_EXPORT_NAME].
char *ladder_shown_summary(const ladder_shown *shown, char *out);

// Modelled time, or that measured on a GPU, of the fastest right step of who takes part in the
// leaderboard, in us; NaN: takes no part, or no time is known.
double ladder_export_best_us(const ladder_report *report, bool measured);

// Steps that are right, all that are graded.
int ladder_export_steps_right(const ladder_report *report);

#endif
