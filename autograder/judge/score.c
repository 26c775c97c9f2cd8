// SPDX-License-Identifier: MIT
// Points of a step: correctness opens the others, counts and speed give shares (rubric/rubric.h). What
// cannot be measured on this machine is left out of the total instead of costing points.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/measure.h"
#include "judge/measure_speed.h"

typedef struct scoring {
    const ladder_judge *judge;
    const ladder_rubric_step *step;
    const char *object, *folder;
    ladder_baseline *baseline;
    void *context;
    ladder_step_result *result;
    const ladder_case *counted; // the case of the counts at hand; criteria often share one
    ladder_counts counts;
} scoring;

// Takes counts unless those of this case are there. False when the step failed on it.
static bool take_counts(scoring *s, const ladder_criterion *criterion) {
    const ladder_case *item =
        ladder_cases_find(s->judge->cases, criterion->family, criterion->size);
    if (item != NULL && item == s->counted) return true;
    ladder_case_end end = {.outcome = LADDER_UNGRADABLE};
    s->counted = NULL;
    if (item == NULL) {
        snprintf(end.text, sizeof end.text, "the rubric measures a case that was not made");
    } else {
        ladder_measure_counts(s->judge, s->step, s->object, s->folder, item, s->result, &end,
                              &s->counts);
    }
    if (end.outcome == LADDER_CORRECT) {
        s->counted = item;
        return true;
    }
    s->result->outcome = end.outcome;
    snprintf(s->result->message, sizeof s->result->message, "counting, %s: %.*s",
             item != NULL ? item->title : criterion->family, LADDER_MESSAGE - 128, end.text);
    return false;
}

static void score_speed(scoring *s, const ladder_criterion *criterion,
                        ladder_criterion_result *out) {
    const char *over = s->baseline != NULL ? s->baseline(s->context, criterion->over) : NULL;
    kl_error err = {KL_OK, ""};
    kl_interval ratio;
    if (over == NULL) { // a kit without solutions has nothing to compare with
        out->counted = false;
        return;
    }
    ladder_speed_job job = {.judge = s->judge,
                            .criterion = criterion,
                            .baseline_object = over,
                            .step_object = s->object,
                            .step = s->step->step,
                            .folder = s->folder,
                            .tolerance = LADDER_SPEED_TOLERANCE,
                            .result = s->result};
    kl_status status = ladder_measure_speed(&job, &ratio, &err);
    if (status != KL_OK) {
        s->result->outcome = status == KL_ERROR_INPUT ? LADDER_WRONG_ANSWER : LADDER_UNGRADABLE;
        snprintf(s->result->message, sizeof s->result->message, "speed: %.900s", err.text);
        return;
    }
    out->value = ratio.mid;
    out->low = ratio.low;
    out->high = ratio.high;
    out->measured = true;
    // Noise gives no point away and takes none: the end of the interval that is kinder to the
    // student decides.
    double kind = criterion->full > criterion->zero ? ratio.high : ratio.low;
    out->points = criterion->points * ladder_criterion_share(criterion, kind);
}

static void score_criterion(scoring *s, const ladder_criterion *criterion,
                            ladder_criterion_result *out) {
    switch (criterion->kind) {
    case LADDER_CRITERION_CORRECT:
        out->value = s->result->outcome == LADDER_CORRECT ? 1.0 : 0.0;
        out->measured = true;
        out->points = criterion->points * ladder_criterion_share(criterion, out->value);
        return;
    case LADDER_CRITERION_COUNT:
        if (!take_counts(s, criterion)) return;
        out->value = out->low = out->high = ladder_count_value(criterion, &s->counts);
        out->measured = true;
        out->points = criterion->points * ladder_criterion_share(criterion, out->value);
        return;
    case LADDER_CRITERION_SPEED: score_speed(s, criterion, out); return;
    case LADDER_CRITERION_PREDICTED:
        out->value = s->result->predicted ? 1.0 : 0.0;
        out->measured = true;
        out->points = criterion->points * ladder_criterion_share(criterion, out->value);
        return;
    }
}

void ladder_score_step(const ladder_judge *judge, const ladder_rubric_step *step,
                       const char *object, const char *folder, ladder_baseline *baseline,
                       void *context, ladder_step_result *result) {
    scoring s = {.judge = judge,
                 .step = step,
                 .object = object,
                 .folder = folder,
                 .baseline = baseline,
                 .context = context,
                 .result = result};
    result->criteria_count =
        step->criteria_count < LADDER_CRITERIA_MAX ? step->criteria_count : LADDER_CRITERIA_MAX;
    for (int i = 0; i < result->criteria_count; i++) {
        ladder_criterion_result *out = &result->criteria[i];
        *out = (ladder_criterion_result){.value = NAN, .low = NAN, .high = NAN};
        out->points_max = step->criteria[i].points;
        out->counted = judge->gpu || step->criteria[i].kind != LADDER_CRITERION_SPEED;
    }
    for (int i = 0; i < result->criteria_count && result->outcome == LADDER_CORRECT; i++)
        score_criterion(&s, &step->criteria[i], &result->criteria[i]);
    if (result->outcome == LADDER_CORRECT) return;
    for (int i = 0; i < result->criteria_count; i++) result->criteria[i].points = 0;
}
