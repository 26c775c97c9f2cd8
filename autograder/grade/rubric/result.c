// SPDX-License-Identifier: MIT
// Results of grading: see result.h.
#include "grade/rubric/result.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utilities/text.h"

double ladder_outcome_points(ladder_outcome outcome, double points) {
    return ladder_outcome_kind_of(outcome) == LADDER_KIND_UNGRADABLE ? NAN : points;
}

void ladder_result_note(ladder_result *result, const char *format, ...) {
    if (result->note_count == LADDER_NOTES_MAX) return;
    char raw[sizeof result->notes[0]];
    va_list args;
    va_start(args, format);
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    ladder_plain(raw, false, result->notes[result->note_count++], sizeof result->notes[0]);
}

void ladder_result_log(ladder_step_result *step, const char *text, size_t bytes) {
    static const char cut[] = "[earlier output left out]\n";
    bool whole = bytes < sizeof step->log;
    size_t keep = whole ? bytes : sizeof step->log - sizeof cut;
    char *copy = malloc(keep + 1);
    if (!copy) return;
    memcpy(copy, text + bytes - keep, keep);
    copy[keep] = '\0';
    for (size_t i = 0; i < keep; i++)
        if (copy[i] == '\0') copy[i] = '?';
    size_t used = 0;
    if (!whole) used = (size_t)snprintf(step->log, sizeof step->log, "%s", cut);
    ladder_plain(copy, true, step->log + used, sizeof step->log - used);
    free(copy);
}

bool ladder_result_unreadable(const ladder_result *result) {
    ladder_outcome first = result->step_count > 0 ? result->steps[0].outcome : LADDER_UNGRADABLE;
    return first == LADDER_UNREADABLE || first == LADDER_NONE_TAKEN;
}

void ladder_result_total(ladder_result *result) {
    ladder_points *points = &result->points;
    points->reached = points->change.given;
    points->most = points->change.given_most;
    points->graded = true;
    for (int i = 0; i < result->step_count; i++) {
        ladder_step_result *step = &result->steps[i];
        step->points = step->points_max = 0;
        for (int c = 0; c < step->criteria_count; c++) {
            if (!step->criteria[c].counted) continue;
            step->points += step->criteria[c].points;
            step->points_max += step->criteria[c].points_max;
        }
        if (ladder_outcome_kind_of(step->outcome) == LADDER_KIND_UNGRADABLE) points->graded = false;
        points->reached += step->points;
        points->most += step->points_max;
    }
}

double ladder_result_alone_s(const ladder_result *result) {
    double sum = 0;
    for (int i = 0; i < result->step_count; i++) // NaN: of an older kit
        if (result->steps[i].alone_s > 0) sum += result->steps[i].alone_s;
    return sum;
}
