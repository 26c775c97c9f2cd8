// SPDX-License-Identifier: MIT
// Rows as marks of other systems: see marks.h.
#include "course/class/marks.h"

#include <stdlib.h>

char *ladder_row_feedback(const ladder_row *row) {
    char *text = NULL, points[32], most[32], changed[LADDER_MARK_TEXT];
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL) return NULL;
    for (int s = 0; s < row->step_count; s++) {
        ladder_outcome outcome = row->steps[s].outcome;
        fprintf(out, "%sstep %d: %s of %s", s > 0 ? "; " : "", row->steps[s].step,
                ladder_report_points(row->steps[s].points, points, sizeof points),
                ladder_report_points(row->steps[s].points_max, most, sizeof most));
        if (outcome != LADDER_CORRECT) fprintf(out, " (%s)", ladder_outcome_word(outcome));
    }
    ladder_mark mark = ladder_row_mark(row);
    if (ladder_mark_text(&mark, changed, sizeof changed)[0] != '\0') fprintf(out, "; %s", changed);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

ladder_export_mark ladder_row_export(const ladder_row *row, const char *user,
                                     const char *feedback) {
    ladder_mark mark = ladder_row_mark(row);
    return (ladder_export_mark){.title = row->title,
                                .user = user,
                                .scored = mark.scored,
                                .points = mark.final_points,
                                .points_max = mark.points_max,
                                .feedback = feedback};
}
