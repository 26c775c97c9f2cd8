// SPDX-License-Identifier: MIT
// Rubrics as data: look-up, points, thresholds: see rubric.h.
#include "rubric/rubric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const ladder_rubric_step *ladder_rubric_find(const ladder_rubric *rubric, int step) {
    for (int i = 0; i < rubric->step_count; i++)
        if (rubric->steps[i].step == step) return &rubric->steps[i];
    return NULL;
}

double ladder_rubric_points(const ladder_rubric_step *step, bool with_speed) {
    double points = 0;
    for (int i = 0; i < step->criteria_count; i++)
        if (with_speed || step->criteria[i].kind != LADDER_CRITERION_SPEED)
            points += step->criteria[i].points;
    return points;
}

double ladder_criterion_share(const ladder_criterion *criterion, double value) {
    double full = criterion->full, zero = criterion->zero;
    if (criterion->kind == LADDER_CRITERION_CORRECT ||
        criterion->kind == LADDER_CRITERION_PREDICTED)
        return value >= 1.0 ? 1.0 : 0.0;
    if (criterion->kind ==
        LADDER_CRITERION_SPEED) { // a ratio of times: equal steps are equal factors
        if (!(value > 0) || !(full > 0) || !(zero > 0)) return 0.0;
        value = log(value);
        full = log(full);
        zero = log(zero);
    }
    if (full == zero) return 0.0;
    double share = (value - zero) / (full - zero);
    return share >= 1.0 ? 1.0 : share > 0.0 ? share : 0.0; // NaN gives 0
}

static kl_status check_criterion(const ladder_rubric *rubric, const ladder_criterion *c, int step,
                                 const kl_problem *problem, bool (*counter_known)(const char *name),
                                 kl_error *err) {
    if (!(c->points > 0))
        return kl_fail(err, KL_ERROR_INPUT, "step %d: points must be above 0", step);
    if (c->kind == LADDER_CRITERION_CORRECT || c->kind == LADDER_CRITERION_PREDICTED) return KL_OK;
    if (kl_problem_family(problem, c->family) < 0) {
        return kl_fail(err, KL_ERROR_INPUT, "step %d: no family '%s' in the problem", step,
                       c->family);
    }
    if (!kl_problem_serves(problem, kl_problem_family(problem, c->family), step))
        return kl_fail(err, KL_ERROR_INPUT, "step %d has no cases of family '%s'", step, c->family);
    if (c->size <= 0 || c->size > problem->max_size || c->full == c->zero)
        return kl_fail(err, KL_ERROR_INPUT, "step %d: impossible size or thresholds", step);
    if (c->kind == LADDER_CRITERION_SPEED) {
        bool known = ladder_rubric_find(rubric, c->over) != NULL;
        return known ? KL_OK
                     : kl_fail(err, KL_ERROR_INPUT, "step %d: \"over\" names no step", step);
    }
    if (counter_known == NULL) return KL_OK;
    bool known = counter_known(c->counter);
    if (known && counter_known(c->per)) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "step %d: unknown counter '%s'", step,
                   known ? c->per : c->counter);
}

kl_status ladder_rubric_check(const ladder_rubric *rubric, const kl_problem *problem,
                              bool (*counter_known)(const char *name), kl_error *err) {
    for (int i = 0; i < rubric->step_count; i++) {
        const ladder_rubric_step *row = &rubric->steps[i];
        const kl_step_info *info = kl_problem_step(problem, row->step);
        char file[128] = "";
        if (info != NULL) snprintf(file, sizeof file, "%d_%s.cu", info->number, info->name);
        if (info == NULL || strcmp(file, row->file) != 0 || info->given != row->given) {
            return kl_fail(err, KL_ERROR_INPUT,
                           "the rubric's step %d (%s) does not agree with the problem (%s)",
                           row->step, row->file, info != NULL ? file : "no such step");
        }
        for (int c = 0; c < row->criteria_count; c++)
            TRY(check_criterion(rubric, &row->criteria[c], row->step, problem, counter_known, err));
    }
    return KL_OK;
}
