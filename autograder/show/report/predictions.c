// SPDX-License-Identifier: MIT
// What a student predicted, in the words of every report: see report.h.
#include <math.h>
#include <string.h>

#include "grade/rubric/predictions.h"
#include "show/report/report.h"

static const char *write_value(double value, char *text, size_t text_bytes) {
    snprintf(text, text_bytes, "%.6g", value);
    return text;
}

char *ladder_report_prediction(const ladder_prediction *item, char *text, size_t text_bytes) {
    char predicted[32], counted[32], judged[64];
    write_value(item->predicted, predicted, sizeof predicted);
    if (isfinite(item->counted)) {
        snprintf(text, text_bytes, "%s: predicted %s, counted %s: %s%s", item->name, predicted,
                 write_value(item->counted, counted, sizeof counted),
                 ladder_prediction_judge(item->predicted, item->counted, judged, sizeof judged),
                 item->stood ? "" : " (predicted after the first run)");
    } else {
        snprintf(text, text_bytes, "%s: predicted %s, not counted%s", item->name, predicted,
                 item->stood ? "" : " (predicted after the first run)");
    }
    return text;
}

char *ladder_report_predictions(const ladder_report *report, char *text, size_t text_bytes) {
    const ladder_result *r = report->result;
    const ladder_questions *questions = report->lab->questions;
    int asked = 0, stood = 0, late = 0, counted = 0, near = 0;
    for (int i = 0; i < questions->asked_count; i++) {
        const kl_step_info *info = kl_problem_step(report->lab->problem, questions->asked[i].step);
        if (info && !info->given) asked += questions->asked[i].count;
    }
    for (int i = 0; i < r->step_count; i++) {
        const ladder_step_result *step = &r->steps[i];
        const kl_step_info *info = kl_problem_step(report->lab->problem, step->step);
        for (int k = 0; info && !info->given && k < step->prediction_count; k++) {
            const ladder_prediction *item = &step->predictions[k];
            stood += item->stood;
            late += !item->stood;
            if (!item->stood || !isfinite(item->counted)) continue;
            counted++;
            near += fabs(item->predicted - item->counted) <= 0.1 * fabs(item->counted);
        }
    }
    text[0] = '\0';
    if (stood + late == 0) return text;
    snprintf(text, text_bytes,
             "predictions: %d of %d numbers before the first run; of %d counted, %d within 10 %%",
             stood, asked, counted, near);
    size_t used = strlen(text);
    if (late > 0) snprintf(text + used, text_bytes - used, "; %d after the first run", late);
    return text;
}
