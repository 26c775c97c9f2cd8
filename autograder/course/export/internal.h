// What the formats share.
#pragma once

#include "course/export/export.h"

// ---- points in hundredths -----------------------------------------------------------------------
// Points as other systems get them: hundredths of a point, rounded once and here alone, so that
// every export of a grade has the same numbers and parts add up to their sum. (`json` keeps the
// unrounded points, from which these come.)

// All in hundredths of a point. Criteria that are not counted have 0 of 0.
typedef struct ladder_hundredths {
    int64_t criterion[LADDER_STEPS_MAX][LADDER_CRITERIA_MAX];
    int64_t criterion_max[LADDER_STEPS_MAX][LADDER_CRITERIA_MAX];
    int64_t step[LADDER_STEPS_MAX], step_max[LADDER_STEPS_MAX];
    int64_t given[LADDER_GIVEN_MAX], given_max[LADDER_GIVEN_MAX]; // by a person; not yet: 0 of 0
    int64_t total, total_max;
    int64_t final; // what counts: the total, less what being late costs, or an override
} ladder_hundredths;

// Points to hundredths, half up; first to millionths, so that what a binary fraction lacks does not
// decide. 0 for what is negative or no number.
int64_t ladder_hundredths_of(double points);

// The marks of a result. What a criterion gets is what its points add to the rounded sum of those
// before it: marks differ from points by less than a hundredth, and their sum is that of the total.
void ladder_hundredths_from(const ladder_result *result, ladder_hundredths *out_marks);

// Part of `total_max` as the same part of `max`, in hundredths, half up; 0 when total_max is 0.
int64_t ladder_hundredths_scale(int64_t total, int64_t total_max, int64_t max);

// "12.50"; returns text.
char *ladder_hundredths_text(int64_t hundredths, char *text, size_t text_bytes);

// ---- texts.c ------------------------------------------------------------------------------------
// Names of steps and criteria, and what is said of each.

enum {
    LADDER_EXPORT_NAME = 200,       // bytes of a name
    LADDER_EXPORT_SUMMARY = 640,    // of the line on top
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

// texts.c: makes it; caller frees. KL_ERROR_MEMORY.
kl_status ladder_shown_make(const ladder_report *report, ladder_shown **out_shown, kl_error *err);
// ladder_export_summary of it, and how many hidden criteria are left out. out:
// [LADDER_EXPORT_SUMMARY].
char *ladder_shown_summary(const ladder_shown *shown, char *out);

// Modelled time, or that measured on a GPU, of the fastest right step of who takes part in the
// leaderboard, in us; NaN: takes no part, or no time is known.
double ladder_export_best_us(const ladder_report *report, bool measured);

// Steps that are right, all that are graded.
int ladder_export_steps_right(const ladder_report *report);

// ---- prairielearn.c -----------------------------------------------------------------------------
// The points of each step as a small bar chart, for systems that show pictures.

// An SVG image as a data URL (RFC 2397, base64). NULL without memory; caller frees.
char *ladder_export_picture(const ladder_report *report, const ladder_hundredths *marks);
