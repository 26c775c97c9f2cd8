// SPDX-License-Identifier: MIT
// Points as other systems get them: hundredths of a point, rounded once and here alone, so that
// every export of a grade has the same numbers and parts add up to their sum. (`json` keeps the
// unrounded points, from which these come.)
#ifndef LADDER_EXPORT_HUNDREDTHS_H
#define LADDER_EXPORT_HUNDREDTHS_H

#include <stddef.h>
#include <stdint.h>

#include "grade/rubric/result.h"

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

#endif
