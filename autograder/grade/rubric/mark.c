// SPDX-License-Identifier: MIT
// The final mark: see mark.h.
#include "grade/rubric/mark.h"

#include <math.h>
#include <stdio.h>

#include "utilities/text.h"

ladder_mark ladder_mark_make(bool graded, double points, double points_max,
                             const ladder_mark_change *change) {
    ladder_mark mark = {.graded = graded,
                        .scored = graded || change->overridden,
                        .late_days = change->late_days,
                        .due_s = change->due_s,
                        .overridden = change->overridden,
                        .points = points,
                        .points_max = points_max,
                        .deduction = graded ? points * change->late_share : 0,
                        .override = change->overridden ? change->override : (double)NAN,
                        .final_points = (double)NAN,
                        .final_score = (double)NAN};
    if (!mark.scored) return mark;
    mark.final_points = change->overridden ? change->override : points - mark.deduction;
    if (points_max > 0) mark.final_score = 100.0 * mark.final_points / points_max;
    return mark;
}

bool ladder_mark_changed(const ladder_mark *mark) {
    return mark->overridden || mark->deduction > 0;
}

char *ladder_mark_text(const ladder_mark *mark, char *text, size_t text_bytes) {
    size_t used = 0;
    bool changed = ladder_mark_changed(mark);
    char due[32];
    text[0] = '\0';
    if (mark->due_s > 0)
        used = (size_t)snprintf(text, text_bytes, "due for this student: %s%s",
                                ladder_time_text(mark->due_s, due), changed ? "; " : "");
    if (!changed) return text;
    if (mark->deduction > 0)
        used += (size_t)snprintf(text + used, text_bytes - used, "%d day%s late: -%.2f; ",
                                 mark->late_days, mark->late_days == 1 ? "" : "s", mark->deduction);
    if (mark->overridden)
        used += (size_t)snprintf(text + used, text_bytes - used, "set by the instructor: %.2f; ",
                                 mark->override);
    snprintf(text + used, text_bytes - used, "final: %.2f of %.2f points (%.1f %%)",
             mark->final_points, mark->points_max, mark->final_score);
    return text;
}
