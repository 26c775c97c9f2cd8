// SPDX-License-Identifier: MIT
// Counted quantities of one call: see measure.h. Counters come from the engine over the judge's own
// connection.
#include "judge/measure.h"

#include <math.h>
#include <string.h>

// What is known of a launch before it runs: the most of any launch of the call.
static bool launch_value(const char *name, const ladder_counts *counts, double *out_value) {
    const struct {
        const char *name;
        double value;
    } rows[] = {{"launch__registers_per_thread", counts->registers},
                {"sim__local_bytes_per_thread", counts->local_bytes},
                {"sim__shared_bytes_per_block", counts->shared_bytes},
                {"launch__grid_size", counts->blocks},
                {"sm__maximum_warps_per_active_cycle_pct", counts->occupancy_pct}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        *out_value = rows[i].value;
        return true;
    }
    return false;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

bool ladder_counter_known(const char *name) {
    const ladder_counts none = {.launches = 0};
    double ignored = 0;
    return launch_value(name, &none, &ignored) || sim_counter_find(name) != SIM_COUNTER_COUNT;
}

static double counter_value(const char *name, const ladder_counts *counts) {
    if (strcmp(name, "call") == 0) return 1.0;
    if (strcmp(name, "launches") == 0 || strcmp(name, "launch") == 0) return counts->launches;
    if (strcmp(name, "element") == 0) return (double)counts->size;
    double value = NAN;
    if (launch_value(name, counts, &value)) return value;
    sim_counter counter = sim_counter_find(name);
    if (counter == SIM_COUNTER_COUNT) return NAN;
    return (double)counts->totals.value[counter];
}

double ladder_count_value(const ladder_criterion *criterion, const ladder_counts *counts) {
    double divisor = counter_value(criterion->per, counts);
    return divisor > 0 ? counter_value(criterion->counter, counts) / divisor : NAN;
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
            return false;
        }
        for (int c = 0; c < SIM_COUNTER_COUNT; c++)
            out_counts->totals.value[c] += report->totals.value[c];
        double occupancy_pct = 100.0 * report->occupancy.fraction;
        out_counts->registers = larger(out_counts->registers, report->registers);
        double blocks =
            (double)report->config.grid.x * report->config.grid.y * report->config.grid.z;
        out_counts->blocks = larger(out_counts->blocks, blocks);
        double shared_bytes =
            (double)report->static_shared_bytes + report->config.dynamic_shared_bytes;
        out_counts->shared_bytes = larger(out_counts->shared_bytes, shared_bytes);
        out_counts->local_bytes = larger(out_counts->local_bytes, report->local_bytes);
        out_counts->occupancy_pct = larger(out_counts->occupancy_pct, occupancy_pct);
        sim_launch_report_free(report);
    }
    out_counts->launches = end->launches;
    return true;
}

void ladder_measure_counts(const ladder_judge *judge, const ladder_rubric_step *step,
                           const char *object, const char *folder, const ladder_case *item,
                           ladder_step_result *result, ladder_case_end *out_end,
                           ladder_counts *out_counts) {
    ladder_attempt attempt = {
        .judge = judge, .step = step, .object = object, .folder = folder, .result = result};
    memset(out_counts, 0, sizeof *out_counts);
    out_counts->size = item->data.shape.size;
    ladder_attempt_case(&attempt, item, 1, out_end);
    if (out_end->outcome == LADDER_CORRECT) read_counts(&attempt, out_end, out_counts);
    ladder_attempt_close(&attempt);
}
