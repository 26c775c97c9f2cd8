// SPDX-License-Identifier: MIT
// What comes of all submissions of a class: see summary.h.
#include "course/class/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/report/figures.h"

enum { TOLD_MIN = 5 }; // submissions of which quartiles are told

void ladder_member_from(const ladder_lab *lab, const ladder_result *result,
                        ladder_member *out_member) {
    ladder_member *m = out_member;
    memset(m, 0, sizeof *m);
    snprintf(m->id, sizeof m->id, "%s", result->id);
    m->score = result->points.graded ? ladder_points_score(&result->points) : NAN;
    m->step_count = result->step_count;
    m->solution = NAN;
    for (int i = 0; i < result->step_count; i++) {
        const ladder_step_result *step = &result->steps[i];
        m->steps[i].outcome = step->outcome;
        m->steps[i].share = step->points_max > 0 ? step->points / step->points_max : 0;
        m->steps[i].time_us = ladder_common_us(lab, step);
        m->steps[i].finding = step->check.finding_count > 0 ? step->check.findings[0].kind : NULL;
        if (ladder_outcome_kind_of(step->outcome) == LADDER_KIND_UNGRADABLE && m->why[0] == '\0')
            snprintf(m->why, sizeof m->why, "step %d: %.*s", step->step, LADDER_MESSAGE - 16,
                     step->message[0] != '\0' ? step->message : ladder_outcome_text(step->outcome));
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Quartiles by linear interpolation.
static ladder_spread spread_of(double *values, size_t count) {
    const double parts[] = {0.25, 0.5, 0.75};
    double found[3] = {NAN, NAN, NAN};
    if (count >= TOLD_MIN) {
        qsort(values, count, sizeof *values, by_value);
        for (int i = 0; i < 3; i++) {
            double at = parts[i] * (double)(count - 1);
            size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;
            found[i] = values[below] + (at - (double)below) * (values[above] - values[below]);
        }
    }
    return (ladder_spread){found[0], found[1], found[2]};
}

void ladder_distribution_of(const ladder_lab *lab, const ladder_member *members, size_t count,
                            const ladder_result *solution, ladder_distribution *out_distribution) {
    ladder_distribution *d = out_distribution;
    double *values = calloc(count + 1, sizeof *values);
    *d = (ladder_distribution){.count = 0};
    for (size_t m = 0; m < count; m++) d->count += !isnan(members[m].score);
    for (int s = 0; s < LADDER_STEPS_MAX; s++) {
        size_t shares = 0, times = 0;
        d->shares[s] = d->times_us[s] = (ladder_spread){NAN, NAN, NAN};
        d->solution_us[s] = NAN;
        if (!values || s >= lab->rubric->step_count) continue;
        for (size_t m = 0; m < count; m++)
            if (!isnan(members[m].score)) values[shares++] = members[m].steps[s].share;
        d->shares[s] = spread_of(values, shares);
        for (size_t m = 0; m < count; m++)
            if (isfinite(members[m].steps[s].time_us))
                values[times++] = members[m].steps[s].time_us;
        d->times_us[s] = spread_of(values, times);
        if (solution && s < solution->step_count)
            d->solution_us[s] = ladder_common_us(lab, &solution->steps[s]);
    }
    free(values);
}

ladder_step_counts ladder_step_counts_of(const ladder_member *members, size_t count, int index) {
    size_t kinds[4] = {0}, scored = 0;
    double sum = 0;
    for (size_t m = 0; m < count; m++) {
        if (members[m].step_count <= index) continue;
        kinds[ladder_outcome_kind_of(members[m].steps[index].outcome)]++;
        if (isnan(members[m].score)) continue;
        sum += members[m].steps[index].share;
        scored++;
    }
    return (ladder_step_counts){kinds[LADDER_KIND_GOOD], kinds[LADDER_KIND_BAD],
                                kinds[LADDER_KIND_ABSENT], scored > 0 ? sum / (double)scored : 0};
}

int ladder_first_failure(const ladder_member *member) {
    for (int s = 0; s < member->step_count; s++)
        if (ladder_outcome_kind_of(member->steps[s].outcome) == LADDER_KIND_BAD) return s;
    return -1;
}

double ladder_mean_score(const ladder_member *members, size_t count) {
    double sum = 0;
    size_t scored = 0;
    for (size_t m = 0; m < count; m++) {
        if (isnan(members[m].score)) continue;
        sum += members[m].score;
        scored++;
    }
    return scored > 0 ? sum / (double)scored : (double)NAN;
}

static bool is_same(const char *a, const char *b) {
    return !a || !b ? a == b : strcmp(a, b) == 0;
}

static int by_count(const void *a, const void *b) {
    const ladder_mistake *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    if (x->index != y->index) return x->index - y->index;
    return (int)x->outcome - (int)y->outcome;
}

int ladder_mistakes_of(const ladder_member *members, size_t count,
                       ladder_mistake out_mistakes[LADDER_MISTAKES_MAX]) {
    int found = 0;
    for (size_t m = 0; m < count; m++) {
        for (int s = 0; s < members[m].step_count; s++) {
            ladder_outcome outcome = members[m].steps[s].outcome;
            const char *finding = members[m].steps[s].finding;
            if (ladder_outcome_kind_of(outcome) != LADDER_KIND_BAD) continue;
            int at = 0;
            while (at < found &&
                   (out_mistakes[at].index != s || out_mistakes[at].outcome != outcome ||
                    !is_same(out_mistakes[at].finding, finding)))
                at++;
            if (at == LADDER_MISTAKES_MAX) continue;
            if (at == found) out_mistakes[found++] = (ladder_mistake){s, outcome, finding, 0};
            out_mistakes[at].count++;
        }
    }
    qsort(out_mistakes, (size_t)found, sizeof *out_mistakes, by_count);
    return found;
}

int ladder_slowest_step(const ladder_lab *lab, const ladder_distribution *distribution,
                        double *out_factor) {
    const ladder_distribution *d = distribution;
    int slowest = -1;
    double most = 0;
    bool known = false;
    *out_factor = NAN;
    for (int s = 0; s < lab->rubric->step_count; s++)
        known = known || (isfinite(d->times_us[s].mid) && isfinite(d->solution_us[s]));
    for (int s = 0; s < lab->rubric->step_count; s++) {
        double value = known ? d->times_us[s].mid / d->solution_us[s] : d->times_us[s].mid;
        if (!isfinite(value) || value <= most) continue;
        most = value;
        slowest = s;
    }
    if (known && slowest >= 0) *out_factor = most;
    return slowest;
}
