// SPDX-License-Identifier: MIT
// A report without the criteria that students must not see yet: see internal.h.
#include <stdlib.h>
#include <string.h>

#include "course/export/internal.h"

// Keeps the criteria of one step that students see; their results stay beside them.
static void keep_shown(ladder_shown *s, int index) {
    const ladder_rubric_step *from = &s->rubric.steps[index];
    ladder_step_result *result = &s->result.steps[index];
    int kept = 0;
    for (int c = 0; c < result->criteria_count && c < from->criteria_count; c++) {
        s->hidden += from->criteria[c].hidden && result->criteria[c].counted;
        if (from->criteria[c].hidden) continue;
        s->criteria[index][kept] = from->criteria[c];
        result->criteria[kept++] = result->criteria[c];
    }
    s->steps[index] = *from;
    s->steps[index].criteria = s->criteria[index];
    s->steps[index].criteria_count = result->criteria_count = kept;
}

kl_status ladder_shown_make(const ladder_report *report, ladder_shown **out_shown, kl_error *err) {
    ladder_shown *s = calloc(1, sizeof *s);
    *out_shown = s;
    if (!s) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a result");
    s->result = *report->result;
    s->rubric = *report->lab->rubric;
    s->lab = *report->lab;
    s->lab.rubric = &s->rubric;
    s->report = *report;
    s->report.lab = &s->lab;
    s->report.result = &s->result;
    for (int i = 0; i < s->result.step_count; i++) keep_shown(s, i);
    s->rubric.steps = s->steps;
    ladder_points_change *change = &s->result.points.change;
    if (s->hidden > 0 && change->overridden) // which is of all points
        *change = (ladder_points_change){
            .given = change->given, .given_most = change->given_most, .unmarked = change->unmarked};
    ladder_result_total(&s->result);
    ladder_hundredths_from(&s->result, &s->marks);
    return KL_OK;
}

char *ladder_shown_summary(const ladder_shown *shown, char *out) {
    ladder_export_summary(&shown->report, &shown->marks, out);
    size_t used = strlen(out);
    if (shown->hidden > 0)
        snprintf(out + used, LADDER_EXPORT_NAME - used,
                 "; without %d hidden %s, which also count%s", shown->hidden,
                 shown->hidden == 1 ? "test" : "tests", shown->hidden == 1 ? "s" : "");
    return out;
}
