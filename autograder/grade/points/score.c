// Points of a step: correctness opens the others, counts and speed give shares
// (grade/rubric/rubric.h). What cannot be measured on this machine is left out of the total instead
// of costing points.
#include "grade/points/counts.h"
#include "grade/speed/speed.h"
#include "ladder_config.h"

enum { COUNTED_MAX = 12 }; // different cases that one step's criteria count

typedef struct scoring {
    const ladder_submission_run *run;
    const ladder_criterion *now; // that is evaluated
    int counted;                 // cases counted so far: criteria often share one
    const ladder_case *items[COUNTED_MAX];
    bool secret[COUNTED_MAX]; // of hidden criteria alone
    ladder_counts counts[COUNTED_MAX];
} scoring;

static const ladder_counts *fail_count(scoring *s, const char *what, const ladder_case_end *end) {
    ladder_step_result *result = s->run->step_result;
    result->outcome = end->outcome;
    snprintf(result->message, sizeof result->message, "counting, %s: %.*s", what,
             LADDER_MESSAGE - 128, end->text);
    return NULL;
}

// A ladder_count_source. NULL when the step failed on the case.
static const ladder_counts *take_counts(void *context, const char *family, int64_t size) {
    scoring *s = context;
    const ladder_case *item = ladder_cases_find(s->run->plan->cases, family, size);
    bool hidden = s->now && s->now->hidden;
    for (int i = 0; i < s->counted && item; i++)
        if (s->items[i] == item) {
            s->secret[i] = s->secret[i] && hidden;
            return &s->counts[i];
        }
    ladder_case_end end = {.outcome = LADDER_UNGRADABLE};
    if (!item || s->counted == COUNTED_MAX) {
        snprintf(end.text, sizeof end.text, "%s",
                 !item ? "the rubric measures a case that was not made"
                       : "the rubric counts too many different cases");
        return fail_count(s, family, &end);
    }
    // What is printed and what is wrong in the case of a hidden criterion would tell its size.
    ladder_step_result apart = {.outcome = LADDER_CORRECT};
    ladder_submission_run own = *s->run;
    ladder_counts *counts = &s->counts[s->counted];
    if (hidden) own.step_result = &apart;
    ladder_measure_counts(&own, item, &end, counts);
    s->run->step_result->over_memory |= apart.over_memory;
    if (hidden)
        snprintf(end.text, sizeof end.text, "%s; what it is stays hidden",
                 ladder_outcome_word(end.outcome));
    if (end.outcome != LADDER_CORRECT)
        return fail_count(s, hidden ? "a hidden test" : item->title, &end);
    s->secret[s->counted] = hidden;
    s->items[s->counted++] = item;
    return counts;
}

// The modelled time, which the simulator gives with the counts: the score where there is no GPU,
// and beside the measured one where there is.
static bool score_modelled(scoring *s, const ladder_criterion *criterion,
                           ladder_criterion_result *out) {
    const ladder_modelled *modelled =
        ladder_criterion_modelled(criterion, ladder_device_simulated()->name);
    if (!modelled) return true;
    if (!ladder_score_counts(criterion, modelled, take_counts, s, out)) return false;
    if (s->run->plan->gpu) return true;
    out->value = out->low = out->high = out->modelled;
    out->points = out->modelled_points;
    out->measured = true;
    return true;
}

// The criterion's thresholds where times are measured: this card's own, or the rubric's.
static void choose_threshold(const ladder_grade_plan *plan, int step,
                             const ladder_criterion *criterion, ladder_criterion_result *out) {
    const ladder_calibrated *own = ladder_thresholds_find(plan->thresholds, step, criterion);
    out->calibrated = own;
    out->left_out = own && own->left_out;
    out->full = own ? own->threshold.full : criterion->full;
    out->zero = own ? own->threshold.zero : criterion->zero;
    if (out->left_out) out->counted = false;
}

// The kit's own build of a step; false: there is none. out: [LADDER_PATH].
static bool find_baseline(const ladder_grade_plan *plan, int step, char *out) {
    return plan->baseline_folder &&
           ladder_path(out, NULL, "%s/step_%d/step_%d.so", plan->baseline_folder, step, step) ==
               KL_OK &&
           ladder_file_exists(out);
}

static void score_speed(scoring *s, const ladder_criterion *criterion,
                        ladder_criterion_result *out) {
    ladder_step_result *result = s->run->step_result;
    char over[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    ladder_speed speed;
    if (!find_baseline(s->run->plan, criterion->over,
                       over)) // a kit without solutions has nothing to compare with
        out->counted = false;
    if (!out->counted) return;
    const ladder_comparison comparison = {.run = s->run,
                                          .criterion = criterion,
                                          .threshold = {out->full, out->zero},
                                          .baseline_object = over,
                                          .tolerance = LADDER_SPEED_TOLERANCE};
    kl_status status = ladder_compare_speed(&comparison, &speed, &err);
    out->seconds = speed.seconds;
    out->alone_s = speed.parts.alone_s;
    result->alone_s += speed.parts.alone_s;
    out->before_s = speed.parts.start_s + speed.parts.inputs_s;
    out->after_s = speed.parts.kept_s + speed.parts.end_s;
    if (status != KL_OK) {
        result->outcome = status == KL_ERROR_INPUT ? LADDER_WRONG_ANSWER : LADDER_UNGRADABLE;
        snprintf(result->message, sizeof result->message, "speed: %.900s", err.text);
        return;
    }
    out->value = speed.ratio.mid;
    out->low = speed.ratio.low;
    out->high = speed.ratio.high;
    out->same_low = speed.same.low;
    out->same_high = speed.same.high;
    out->pairs = speed.pairs;
    out->call_us = 1e6 * speed.step_s;
    out->measured = true;
    // Noise gives no point away and takes none: the end of the interval that is kinder to the
    // student decides. Both earn nearly the same unless `doubt` says otherwise.
    out->doubt = speed.doubt;
    out->points = criterion->points * ladder_ratio_share(out->full, out->zero, out->high);
}

// Where the count comes from, when it costs points: of a further bound that costs them, nothing is
// known.
static void keep_line(scoring *s, const ladder_criterion *criterion, ladder_criterion_result *out) {
    const ladder_counts *counts = take_counts(s, criterion->family, criterion->size);
    ptrdiff_t at = criterion - s->run->step->criteria;
    if (counts && at < LADDER_CRITERIA_MAX && ladder_criterion_share(criterion, out->value) < 1)
        out->line = counts->worst[at].line;
}

static void score_hidden(scoring *s, const ladder_criterion *criterion,
                         ladder_criterion_result *out) {
    int right = 0;
    if (ladder_judge_hidden(s->run, criterion, &right) != LADDER_CORRECT) return;
    out->value = right;
    out->measured = true;
    out->points = criterion->points * ladder_criterion_share(criterion, out->value);
}

static void score_criterion(scoring *s, const ladder_criterion *criterion,
                            ladder_criterion_result *out) {
    s->now = criterion;
    switch (criterion->kind) {
    case LADDER_CRITERION_CORRECT:
        out->value = s->run->step_result->outcome == LADDER_CORRECT ? 1.0 : 0.0;
        out->measured = true;
        out->points = criterion->points * ladder_criterion_share(criterion, out->value);
        return;
    case LADDER_CRITERION_COUNT:
        if (!out->counted || !ladder_score_counts(criterion, NULL, take_counts, s, out)) return;
        out->low = out->high = out->value;
        out->measured = true;
        keep_line(s, criterion, out);
        return;
    case LADDER_CRITERION_SPEED:
        if (score_modelled(s, criterion, out) && s->run->plan->gpu) score_speed(s, criterion, out);
        return;
    case LADDER_CRITERION_CASES: score_hidden(s, criterion, out); return;
    case LADDER_CRITERION_PREDICTED:
        out->value = s->run->step_result->predicted ? 1.0 : 0.0;
        out->measured = true;
        out->points = criterion->points * ladder_criterion_share(criterion, out->value);
        return;
    }
}

// Keeps what was counted: for reports, no part of the score.
static void keep_calls(const scoring *s) {
    ladder_step_result *result = s->run->step_result;
    result->call_count = 0;
    for (int i = 0; i < s->counted && result->call_count < LADDER_CALLS_MAX; i++) {
        if (s->secret[i]) continue;
        const ladder_counts *counts = &s->counts[i];
        const uint64_t *v = counts->totals.value;
        const kl_case *shape = &s->items[i]->data.shape;
        ladder_call *call = &result->calls[result->call_count++];
        snprintf(call->family, sizeof call->family, "%s",
                 s->run->plan->lab->problem->families[shape->family].name);
        call->size = shape->size;
        call->launches = (int)counts->launches;
        call->time_us = ladder_call_us(counts, ladder_device_simulated());
        call->busy_us = counts->time_us;
        call->bytes = (double)v[SIM_COUNTER_DRAM_READ] + (double)v[SIM_COUNTER_DRAM_WRITE];
        call->fma = (double)v[SIM_COUNTER_MULTIPLY_ADDS];
        call->fma_pipe = (double)v[SIM_COUNTER_PIPE_FMA];
        call->instructions = (double)v[SIM_COUNTER_INST];
        call->worth = ladder_worth_of(&counts->totals);
    }
}

void ladder_score_step(const ladder_submission_run *run) {
    const ladder_grade_plan *plan = run->plan;
    const ladder_rubric_step *step = run->step;
    ladder_step_result *result = run->step_result;
    scoring s = {.run = run};
    result->criteria_count =
        step->criteria_count < LADDER_CRITERIA_MAX ? step->criteria_count : LADDER_CRITERIA_MAX;
    for (int i = 0; i < result->criteria_count; i++) {
        const ladder_criterion *criterion = &step->criteria[i];
        ladder_criterion_result *out = &result->criteria[i];
        *out = (ladder_criterion_result){.value = NAN,
                                         .low = NAN,
                                         .high = NAN,
                                         .full = NAN,
                                         .zero = NAN,
                                         .call_us = NAN,
                                         .same_low = NAN,
                                         .same_high = NAN,
                                         .modelled = NAN,
                                         .modelled_points = NAN};
        out->points_max = criterion->points;
        bool speed = criterion->kind == LADDER_CRITERION_SPEED;
        out->counted = plan->gpu || !speed ||
                       ladder_criterion_modelled(criterion, ladder_device_simulated()->name);
        if (speed && plan->gpu) choose_threshold(plan, step->step, criterion, out);
        bool old = criterion->needs_cuda > atoi(LADDER_CUDA_VERSION);
        if (old || result->outcome == LADDER_LEFT_OUT) out->counted = false;
    }
    for (int i = 0; i < result->criteria_count && result->outcome == LADDER_CORRECT; i++)
        score_criterion(&s, &step->criteria[i], &result->criteria[i]);
    keep_calls(&s);
    ladder_score_close(step, result->criteria, result->criteria_count);
    if (result->outcome == LADDER_CORRECT) return;
    for (int i = 0; i < result->criteria_count; i++) result->criteria[i].points = 0;
}

// Counted quantities of one call. Counters come from the engine over the judge's own connection.

// Keeps the line of the step's file that costs most by each criterion.
static void find_worst_lines(const ladder_rubric_step *step, const sim_launch_report *report,
                             ladder_counts *counts) {
    for (uint32_t i = 0; step && i < report->line_count; i++) {
        const sim_line_counters *line = &report->lines[i];
        const char *path = line->file < report->file_count ? report->files[line->file] : "";
        if (strcmp(basename(path), step->file) != 0) continue;
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
