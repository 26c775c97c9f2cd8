// SPDX-License-Identifier: MIT
// Final points: see points.h.
#include "grade/rubric/points.h"

#include <math.h>
#include <stdio.h>

#include "utilities/text.h"

static double score(double points, double most) {
    return most > 0 ? 100.0 * points / most : (double)NAN;
}

void ladder_points_apply(ladder_points *points, const ladder_points_change *change) {
    points->reached += change->given - points->change.given;
    points->most += change->given_most - points->change.given_most;
    points->change = *change;
}

double ladder_points_score(const ladder_points *points) {
    return score(points->reached, points->most);
}

double ladder_points_deduction(const ladder_points *points) {
    return points->graded ? points->reached * points->change.late_share : 0;
}

double ladder_points_final(const ladder_points *points) {
    if (points->change.overridden) return points->change.override;
    return points->graded ? points->reached - ladder_points_deduction(points) : (double)NAN;
}

double ladder_points_final_score(const ladder_points *points) {
    return score(ladder_points_final(points), points->most);
}

bool ladder_points_are_final(const ladder_points *points) {
    return points->graded || points->change.overridden;
}

bool ladder_points_changed(const ladder_points *points) {
    return points->change.overridden || ladder_points_deduction(points) > 0;
}

char *ladder_points_text(const ladder_points *points, char *text, size_t text_bytes) {
    const ladder_points_change *change = &points->change;
    double deduction = ladder_points_deduction(points);
    size_t used = 0;
    bool changed = ladder_points_changed(points);
    char due[32];
    text[0] = '\0';
    if (change->unmarked > 0)
        used = (size_t)snprintf(
            text, text_bytes, "%g point%s not marked yet and count%s neither way%s",
            change->unmarked, change->unmarked == 1 ? " is" : "s are",
            change->unmarked == 1 ? "s" : "", changed || change->due_s > 0 ? "; " : "");
    if (change->due_s > 0)
        used += (size_t)snprintf(text + used, text_bytes - used, "due for this student: %s%s",
                                 ladder_time_text(change->due_s, due), changed ? "; " : "");
    if (!changed) return text;
    if (deduction > 0)
        used += (size_t)snprintf(text + used, text_bytes - used, "%d day%s late: -%.2f; ",
                                 change->late_days, change->late_days == 1 ? "" : "s", deduction);
    if (change->overridden)
        used += (size_t)snprintf(text + used, text_bytes - used, "set by the instructor: %.2f; ",
                                 change->override);
    snprintf(text + used, text_bytes - used, "final: %.2f of %.2f points (%.1f %%)",
             ladder_points_final(points), points->most, ladder_points_final_score(points));
    return text;
}
