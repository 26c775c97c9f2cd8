// Counted quantities of one call: see counts.h. Counters come from the engine over the judge's own
// connection.
#include "grade/points/counts.h"

// Keeps the line of the step's file that costs most by each criterion.
static void find_worst_lines(const ladder_rubric_step *step, const sim_launch_report *report,
                             ladder_counts *counts) {
    for (uint32_t i = 0; step && i < report->line_count; i++) {
        const sim_line_counters *line = &report->lines[i];
        const char *path = line->file < report->file_count ? report->files[line->file] : "";
        const char *slash = strrchr(path, '/');
        if (strcmp(slash ? slash + 1 : path, step->file) != 0) continue;
        for (int c = 0; c < step->criteria_count && c < LADDER_CRITERIA_MAX; c++) {
            if (step->criteria[c].kind != LADDER_CRITERION_COUNT) continue;
            double amount = ladder_count_amiss(&step->criteria[c], &line->counters);
            if (!(amount > counts->worst[c].amount)) continue;
            counts->worst[c].amount = amount;
            counts->worst[c].line = line->line;
        }
    }
}

static bool no_counts(ladder_attempt *attempt, ladder_case_end *end, const char *what,
                      const kl_error *err) {
    end->outcome = LADDER_UNGRADABLE;
    snprintf(end->text, sizeof end->text, "no report of %s: %.500s", what, err->text);
    ladder_attempt_starved(attempt, end);
    return false;
}

// What the call's copies and waits come to: of a program the judge knows it.
static bool read_spans(ladder_attempt *attempt, ladder_case_end *end, ladder_counts *out_counts) {
    if (out_counts->program) {
        out_counts->call = end->call;
        return true;
    }
    sim_spans spans;
    uint32_t first;
    kl_error err = {.text = ""};
    sim_status status = sim_spans_get(attempt->session.control, &spans, &first, &err);
    if (status == SIM_OK) {
        status = sim_spans_totals(&spans, first, &out_counts->call, &err);
        sim_spans_free(&spans);
    }
    return status == SIM_OK || no_counts(attempt, end, "a call", &err);
}

// Adds up the reports of the launches of a call.
static bool read_counts(ladder_attempt *attempt, ladder_case_end *end, ladder_counts *out_counts) {
    for (uint32_t i = 0; i < end->launches; i++) {
        sim_launch_report *report = NULL;
        kl_error err = {.text = ""};
        if (sim_launch_report_get(attempt->session.control, end->first_launch + i, &report, &err) !=
            SIM_OK)
            return no_counts(attempt, end, "a launch", &err);
        ladder_counts_add(out_counts, report, sim_engine_device(attempt->session.control));
        find_worst_lines(attempt->run->step, report, out_counts);
        sim_launch_report_free(report);
    }
    out_counts->moves_us = sim_device_moves_us(sim_engine_device(attempt->session.control),
                                               end->moves, end->moved_bytes);
    return read_spans(attempt, end, out_counts);
}

void ladder_measure_counts(const ladder_submission_run *run, const ladder_case *item,
                           ladder_case_end *out_end, ladder_counts *out_counts) {
    ladder_attempt attempt = {.run = run};
    enum { TRIES = 2 };
    for (int i = 0; i < TRIES; i++) {
        memset(out_counts, 0, sizeof *out_counts);
        out_counts->size = item->data.shape.size;
        out_counts->program = item->data.shape.program;
        ladder_attempt_case(&attempt, item, 1, out_end);
        if (out_end->outcome == LADDER_CORRECT) read_counts(&attempt, out_end, out_counts);
        ladder_attempt_close(&attempt);
        if (out_end->outcome != LADDER_UNGRADABLE) return;
    }
    ladder_broken_run(run->step_folder, out_end);
}
