// SPDX-License-Identifier: MIT
// Counted quantities of one call: see measure.h. Counters come from the engine over the judge's own
// connection.
#include "grade/judge/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "utilities/devices.h"

bool ladder_score_counts(const ladder_criterion *criterion, const ladder_modelled *modelled,
                         ladder_count_source *source, void *context, ladder_criterion_result *out) {
    int64_t size = modelled != NULL ? modelled->size : criterion->size;
    const ladder_counts *counts = source(context, criterion->family, size);
    if (counts == NULL) return false;
    if (modelled != NULL) {
        out->modelled = modelled->over_us / ladder_call_us(counts, ladder_device_simulated());
        out->modelled_points = criterion->points * ladder_modelled_share(modelled, out->modelled);
        return true;
    }
    out->value = ladder_count_value(criterion->counter, criterion->per, counts);
    double share = ladder_criterion_share(criterion, out->value);
    for (int i = 0; i < criterion->with_count; i++) {
        const ladder_bound *bound = &criterion->with[i];
        bool own = bound->family[0] == '\0';
        counts = source(context, own ? criterion->family : bound->family, own ? size : bound->size);
        if (counts == NULL) return false;
        out->with[i] = ladder_count_value(bound->counter, bound->per, counts);
        share = fmin(share, ladder_bound_share(bound, out->with[i]));
    }
    out->points = criterion->points * share;
    return true;
}

void ladder_score_close(const ladder_rubric_step *step, ladder_criterion_result *results,
                        int count) {
    bool open = true;
    for (int i = 0; i < count; i++)
        if (step->criteria[i].kind == LADDER_CRITERION_COUNT) open &= results[i].points > 0;
    for (int i = 0; i < count && !open; i++) {
        ladder_criterion_result *out = &results[i];
        if (step->criteria[i].kind != LADDER_CRITERION_SPEED) continue;
        out->closed = true;
        out->points = 0;
        if (out->modelled_points > 0) out->modelled_points = 0;
    }
}

// Adds up the reports of the launches of a call.
static bool read_counts(ladder_attempt *attempt, ladder_case_end *end, ladder_counts *out_counts) {
    for (uint32_t i = 0; i < end->launches; i++) {
        sim_launch_report *report = NULL;
        kl_error error = {.text = ""};
        if (sim_launch_report_get(attempt->session.control, end->first_launch + i, &report,
                                  &error) != SIM_OK) {
            end->outcome = LADDER_UNGRADABLE;
            snprintf(end->text, sizeof end->text, "no report of a launch: %.500s", error.text);
            ladder_attempt_starved(attempt, end);
            return false;
        }
        ladder_counts_add(out_counts, report, sim_engine_device(attempt->session.control));
        sim_launch_report_free(report);
    }
    out_counts->moves_us = sim_device_moves_us(sim_engine_device(attempt->session.control),
                                               end->moves, end->moved_bytes);
    return true;
}

void ladder_measure_counts(const ladder_judge *judge, const ladder_rubric_step *step,
                           const char *object, const char *folder, const ladder_case *item,
                           ladder_step_result *result, ladder_case_end *out_end,
                           ladder_counts *out_counts) {
    ladder_attempt attempt = {
        .judge = judge, .step = step, .object = object, .folder = folder, .result = result};
    enum { TRIES = 2 };
    for (int i = 0; i < TRIES; i++) {
        memset(out_counts, 0, sizeof *out_counts);
        out_counts->size = item->data.shape.size;
        ladder_attempt_case(&attempt, item, 1, out_end);
        if (out_end->outcome == LADDER_CORRECT) read_counts(&attempt, out_end, out_counts);
        ladder_attempt_close(&attempt);
        if (out_end->outcome != LADDER_UNGRADABLE) return;
    }
    ladder_blame(folder, out_end);
}
