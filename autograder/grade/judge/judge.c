// SPDX-License-Identifier: MIT
// The verdict on one built step, case by case: see judge.h. Trust model: docs on grading.
#include "grade/judge/judge.h"

#include <stdio.h>
#include <string.h>

#include "utilities/defence.h"
#include "compare.h"
#include "utilities/text.h"
#include "random.h"

enum {
    STREAM_PLACES = 0x91ace, // of random numbers
    DEATHS_MAX = 3           // runners lost on one step before the rest of its cases is given up
};

void ladder_judge_hide_folder(const char *object, char *text) {
    char folder[LADDER_PATH];
    snprintf(folder, sizeof folder, "%s", object);
    char *slash = strrchr(folder, '/');
    if (!slash) return;
    slash[1] = '\0';
    ladder_remove_text(text, folder);
}

static void take_compared(const ladder_case *item, const ladder_case_end *end, ladder_failure *f) {
    const kl_verdict *v = &end->verdict;
    f->compared = end->outcome == LADDER_WRONG_ANSWER && !v->ok && v->compared > 0;
    if (!f->compared) return;
    snprintf(f->output, sizeof f->output, "%s", item->data.shape.outputs[v->output].name);
    f->first_wrong = v->first_wrong;
    f->expected = v->expected;
    f->got = v->got;
    f->bound = v->bound;
    kl_value_text(v->got, f->seen, sizeof f->seen);
}

void ladder_judge_failure(const ladder_submission_run *run, ladder_outcome outcome,
                          const ladder_case *item, const ladder_case_end *end) {
    ladder_step_result *result = run->step_result;
    if (result->failure_count++ >= LADDER_FAILURES_MAX) return;
    ladder_failure *f = &result->failures[result->failure_count - 1];
    f->outcome = outcome;
    snprintf(f->title, sizeof f->title, "%s", item->title);
    snprintf(f->text, sizeof f->text, "%s", end->text);
    take_compared(item, end, f);
    ladder_judge_hide_folder(run->object, f->text);
}

static void record_failure(const ladder_submission_run *run, const ladder_case *item,
                           const ladder_case_end *end) {
    ladder_step_result *result = run->step_result;
    ladder_judge_failure(run, end->outcome, item, end);
    // The first failure names the step's outcome, unless a later one says more: that no kernel ran
    // at all (without elements none needs to), or that the fault is the grader's.
    bool says_more = end->outcome == LADDER_UNGRADABLE ||
                     (end->outcome == LADDER_NO_LAUNCH && result->outcome == LADDER_WRONG_ANSWER);
    if (result->outcome != LADDER_CORRECT && !says_more) return;
    result->outcome = end->outcome;
    snprintf(result->message, sizeof result->message, "%s: %.*s", item->title, LADDER_MESSAGE - 128,
             end->text);
}

static int calls_for(const ladder_case *item) {
    return ladder_is_called_twice(&item->data) && ladder_defence_on(LADDER_DEFENCE_SECOND_CALL) ? 2
                                                                                                : 1;
}

// Warp instructions of a case's launches; on a GPU an estimate from its work: a load, a store or an
// operation a thread, each with the instructions around it.
static uint64_t cost_of(const ladder_attempt *attempt, const ladder_case *item,
                        const ladder_case_end *end) {
    const double around = 16, lanes = 32;
    const kl_case *shape = &item->data.shape;
    uint64_t sum = 0;
    if (shape->host) return 0;
    if (!attempt->session.control)
        return (uint64_t)(around * (shape->work_ops + shape->work_bytes / sizeof(float)) / lanes);
    for (uint32_t i = 0; i < end->launches; i++) {
        sim_launch_report *report = NULL;
        if (sim_launch_report_get(attempt->session.control, end->first_launch + i, &report, NULL) !=
            SIM_OK)
            return 0;
        sum += report->totals.value[SIM_COUNTER_INST];
        sim_launch_report_free(report);
    }
    return sum;
}

// False when the other steps, or the clock, leave the rest of this one's cases no time.
static bool has_time(const ladder_submission_run *run) {
    ladder_step_result *result = run->step_result;
    char text[LADDER_MESSAGE];
    ladder_budget_state time = ladder_budget_spent(run->budget, text, sizeof text);
    if (time == LADDER_BUDGET_LEFT) return true;
    if (result->outcome == LADDER_CORRECT) {
        result->outcome = time == LADDER_BUDGET_MACHINE ? LADDER_UNGRADABLE : LADDER_TIME_LIMIT;
        snprintf(result->message, sizeof result->message, "%s", text);
    }
    return false;
}

// Adds a case to the text of those that were run; the last one that fits is followed by "..".
static void note_tried(const ladder_submission_run *run, const ladder_case *item,
                       const char **family) {
    enum { SPARE = 100 }; // for the longest name and size
    ladder_step_result *result = run->step_result;
    const kl_case *shape = &item->data.shape;
    const char *name = run->plan->lab->problem->families[shape->family].name;
    size_t used = strlen(result->tried), left = sizeof result->tried - used;
    if (used > 2 && result->tried[used - 1] == '.') return;
    if (left < SPARE)
        snprintf(result->tried + used, left, ", ..");
    else if (*family == name)
        snprintf(result->tried + used, left, ", %lld", (long long)shape->size);
    else
        snprintf(result->tried + used, left, "%s%.60s %lld", used > 0 ? "; " : "", name,
                 (long long)shape->size);
    *family = name;
}

void ladder_judge_step(const ladder_submission_run *run, ladder_step_costs *out_costs) {
    const ladder_grade_plan *plan = run->plan;
    const ladder_cases *cases = plan->cases;
    ladder_step_result *result = run->step_result;
    ladder_attempt attempt = {.run = run, .gpu = plan->gpu, .uncached = true};
    int deaths = 0;
    const char *family_tried = NULL;
    bool seen[LADDER_OUTCOMES] = {false};
    bool stop = false;
    result->outcome = LADDER_CORRECT;
    memset(out_costs, 0, sizeof *out_costs);
    out_costs->first_wrong = -1;
    for (int i = 0; i < cases->count; i++) {
        const ladder_case *item = &cases->items[i];
        if (!item->check) continue;
        int family = item->data.shape.family;
        if (!kl_problem_serves(plan->lab->problem, family, run->step->step)) continue;
        result->cases_total++;
        if (stop) continue;
        stop = !has_time(run);
        if (stop) continue;
        ladder_case_end end;
        if (ladder_defence_on(LADDER_DEFENCE_RANDOM_PLACES))
            attempt.places = kl_random_fork(cases->seed, STREAM_PLACES);
        ladder_attempt_fairly(&attempt, item, calls_for(item), &end);
        result->cases_run++;
        note_tried(run, item, &family_tried);
        if (i < LADDER_JUDGE_CASES && !end.dead) {
            out_costs->instructions[i] = cost_of(&attempt, item, &end);
            if (end.outcome == LADDER_WRONG_ANSWER && out_costs->first_wrong < 0)
                out_costs->first_wrong = i;
        }
        if (end.outcome == LADDER_CORRECT) {
            result->cases_right++;
            continue;
        }
        ladder_judge_hide_folder(run->object, end.text);
        record_failure(run, item, &end);
        // A wrong answer without a launch may be one to a case without work; a later case tells
        // (record_failure).
        bool decided = end.outcome != LADDER_WRONG_ANSWER || end.launches > 0;
        if (plan->first_failure && decided) stop = true;
        if (!end.dead) {
            stop = stop || end.outcome == LADDER_NOT_IMPLEMENTED;
            continue;
        }
        ladder_attempt_close(&attempt);
        // A second failure of the same fatal kind, or one that costs much of the machine, ends the
        // step.
        stop = stop || ++deaths == DEATHS_MAX || seen[end.outcome] ||
               end.outcome == LADDER_TIME_LIMIT || end.outcome == LADDER_MEMORY_LIMIT ||
               end.outcome == LADDER_RUNAWAY || end.outcome == LADDER_NO_FUNCTION ||
               end.outcome == LADDER_BROKEN_RUN || end.outcome == LADDER_UNGRADABLE;
        seen[end.outcome] = true;
    }
    ladder_attempt_close(&attempt);
    ladder_judge_hide_folder(run->object, result->log);
    if (result->cases_total == 0) { // nothing was compared: never a pass
        result->outcome = LADDER_UNGRADABLE;
        snprintf(result->message, sizeof result->message, "the lab has no correctness case");
    }
}
