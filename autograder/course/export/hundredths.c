// SPDX-License-Identifier: MIT
// Points in hundredths: see internal.h.
#include "course/export/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int64_t ladder_hundredths_of(double points) {
    const double most = 1e9; // points; no rubric has so many
    if (!(points > 0)) return 0;
    int64_t millionths = llround((points < most ? points : most) * 1e6);
    return (millionths + 5000) / 10000;
}

// One of the two numbers of a criterion.
static double part(const ladder_criterion_result *criterion, bool most) {
    return !criterion->counted ? 0 : most ? criterion->points_max : criterion->points;
}

// Sums run as in ladder_result_total, so that the last one is the result's own. limit: what a mark
// may be at most, or NULL.
static int64_t deal(const ladder_result *result, bool most, const ladder_hundredths *limit,
                    int64_t marks[LADDER_STEPS_MAX][LADDER_CRITERIA_MAX], int64_t *steps,
                    int64_t by_person[LADDER_GIVEN_MAX]) {
    double before = 0;
    int64_t given = 0;
    for (int s = 0; s < result->step_count; s++) {
        const ladder_step_result *step = &result->steps[s];
        double inside = 0;
        for (int c = 0; c < step->criteria_count; c++) {
            inside += part(&step->criteria[c], most);
            int64_t mark = ladder_hundredths_of(before + inside) - given;
            if (limit && mark > limit->criterion_max[s][c]) mark = limit->criterion_max[s][c];
            if (mark < 0) mark = 0;
            marks[s][c] = mark;
            steps[s] += mark;
            given += mark;
        }
        before += inside;
    }
    for (int i = 0; i < result->given.count; i++) {
        const ladder_given_criterion *item = &result->given.items[i];
        before += most ? item->most : item->marked ? item->points : 0;
        int64_t mark = ladder_hundredths_of(before) - given;
        if (limit && mark > limit->given_max[i]) mark = limit->given_max[i];
        by_person[i] = mark > 0 ? mark : 0;
        given += by_person[i];
    }
    return given;
}

void ladder_hundredths_from(const ladder_result *result, ladder_hundredths *out_marks) {
    memset(out_marks, 0, sizeof *out_marks);
    out_marks->total_max = deal(result, true, NULL, out_marks->criterion_max, out_marks->step_max,
                                out_marks->given_max);
    out_marks->total =
        deal(result, false, out_marks, out_marks->criterion, out_marks->step, out_marks->given);
    out_marks->final = ladder_points_changed(&result->points)
                           ? ladder_hundredths_of(ladder_points_final(&result->points))
                           : out_marks->total;
}

int64_t ladder_hundredths_scale(int64_t total, int64_t total_max, int64_t max) {
    if (total_max <= 0) return 0;
    return (2 * total * max + total_max) / (2 * total_max);
}

char *ladder_hundredths_text(int64_t hundredths, char *text, size_t text_bytes) {
    snprintf(text, text_bytes, "%" PRId64 ".%02" PRId64, hundredths / 100, hundredths % 100);
    return text;
}
