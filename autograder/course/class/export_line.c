// SPDX-License-Identifier: MIT
// Rows as marks of other systems: see export_line.h.
#include "course/class/export_line.h"

#include <stdlib.h>

char *ladder_row_feedback(const ladder_row *row) {
    char *text = NULL, points[32], most[32], changed[LADDER_POINTS_TEXT];
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return NULL;
    for (int s = 0; s < row->step_count; s++) {
        ladder_outcome outcome = row->steps[s].outcome;
        fprintf(out, "%sstep %d: %s of %s", s > 0 ? "; " : "", row->steps[s].step,
                ladder_report_points(row->steps[s].points, points, sizeof points),
                ladder_report_points(row->steps[s].points_max, most, sizeof most));
        if (outcome != LADDER_CORRECT) fprintf(out, " (%s)", ladder_outcome_word(outcome));
    }
    if (row->points.change.given_most > 0)
        fprintf(out, "%sgiven by a person: %s of %s", row->step_count > 0 ? "; " : "",
                ladder_report_points(row->points.change.given, points, sizeof points),
                ladder_report_points(row->points.change.given_most, most, sizeof most));
    if (ladder_points_text(&row->points, changed, sizeof changed)[0] != '\0')
        fprintf(out, "%s%s", row->step_count > 0 ? "; " : "", changed);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

ladder_export_line ladder_row_export(const ladder_row *row, const ladder_person *who,
                                     const char *feedback) {
    return (ladder_export_line){row->title, who, row->points, feedback};
}
