// The verdict on one built step, case by case: see judge.h. Trust model: docs on grading.
#include "grade/judge/judge.h"
#include "random.h"
#include "utilities/defence.h"

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
    if (!kl_case_has_kernels(shape)) return 0;
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
    if (left < SPARE) snprintf(result->tried + used, left, ", ..");
    else if (*family == name)
        snprintf(result->tried + used, left, ", %lld", (long long)shape->size);
    else
        snprintf(result->tried + used, left, "%s%.60s %lld", used > 0 ? "; " : "", name,
                 (long long)shape->size);
    *family = name;
}

// A step on its way through its cases.
typedef struct judging {
    const ladder_submission_run *run;
    ladder_attempt attempt;
    ladder_step_costs *costs;
    const char *family_tried;       // of the last case that was run
    bool ended_by[LADDER_OUTCOMES]; // outcomes that have ended a runner
    int runners_lost;               // how many
    unsigned char *wrong;           // outputs of the case costs->first_wrong; NULL: none
} judging;

static bool is_case_of_step(const judging *j, const ladder_case *item) {
    return item->check && kl_problem_serves(j->run->plan->lab->problem, item->data.shape.family,
                                            j->run->step->step);
}

static void note_costs(judging *j, int index, const ladder_case *item, const ladder_case_end *end) {
    if (index >= LADDER_JUDGE_CASES) return;
    if (end->outcome == LADDER_KERNEL_FAULT && j->costs->first_fault < 0)
        j->costs->first_fault = index;
    if (end->dead) return;
    j->costs->instructions[index] = cost_of(&j->attempt, item, end);
    if (end->outcome == LADDER_WRONG_ANSWER && j->costs->first_wrong < 0) {
        j->costs->first_wrong = index;
        j->wrong = j->attempt.outputs;
        j->attempt.outputs = NULL;
    }
}

// Whether another case would end in the same way, or cost much of the machine.
static bool ends_all(ladder_outcome outcome) {
    switch (outcome) {
    case LADDER_TIME_LIMIT:
    case LADDER_MEMORY_LIMIT:
    case LADDER_RUNAWAY:
    case LADDER_NO_FUNCTION:
    case LADDER_BROKEN_RUN:
    case LADDER_UNGRADABLE: return true;
    default: return false;
    }
}

// After a case that failed: whether the next one is run.
static bool goes_on_after(judging *j, const ladder_case_end *end) {
    // A wrong answer without a launch may be one to a case without work; a later case tells
    // (record_failure).
    bool decided = end->outcome != LADDER_WRONG_ANSWER || end->launches > 0;
    bool again = !(j->run->plan->first_failure && decided);
    if (!end->dead) return again && end->outcome != LADDER_NOT_IMPLEMENTED;
    ladder_attempt_close(&j->attempt);
    bool same = j->ended_by[end->outcome];
    j->ended_by[end->outcome] = true;
    return ++j->runners_lost < DEATHS_MAX && again && !same && !ends_all(end->outcome);
}

// Runs a case. Whether the next one is run, too.
static bool judge_case(judging *j, int index) {
    const ladder_cases *cases = j->run->plan->cases;
    const ladder_case *item = &cases->items[index];
    ladder_step_result *result = j->run->step_result;
    ladder_case_end end;
    if (!has_time(j->run)) return false;
    if (ladder_defence_on(LADDER_DEFENCE_RANDOM_PLACES))
        j->attempt.places = kl_random_fork(cases->seed, STREAM_PLACES);
    ladder_attempt_fairly(&j->attempt, item, calls_for(item), &end);
    result->cases_run++;
    note_tried(j->run, item, &j->family_tried);
    note_costs(j, index, item, &end);
    if (end.outcome == LADDER_CORRECT) {
        result->cases_right++;
        return true;
    }
    ladder_judge_hide_folder(j->run->object, end.text);
    record_failure(j->run, item, &end);
    return goes_on_after(j, &end);
}

void ladder_judge_step(const ladder_submission_run *run, ladder_step_costs *out_costs) {
    const ladder_cases *cases = run->plan->cases;
    ladder_step_result *result = run->step_result;
    judging j = {.run = run,
                 .attempt = {.run = run,
                             .gpu = run->plan->gpu,
                             .uncached = true,
                             .keeps = true,
                             .watched = -1},
                 .costs = out_costs};
    bool goes_on = true;
    result->outcome = LADDER_CORRECT;
    memset(out_costs, 0, sizeof *out_costs);
    out_costs->first_wrong = out_costs->first_fault = -1;
    for (int i = 0; i < cases->count; i++) {
        if (!is_case_of_step(&j, &cases->items[i])) continue;
        result->cases_total++;
        goes_on = goes_on && judge_case(&j, i);
    }
    ladder_attempt_close(&j.attempt);
    ladder_judge_hide_folder(run->object, result->log);
    bool drawn = !run->plan->first_failure && !cases->of;
    if (j.wrong && result->outcome == LADDER_WRONG_ANSWER && drawn)
        ladder_judge_small(run, &cases->items[out_costs->first_wrong], j.wrong);
    free(j.wrong);
    if (result->cases_total == 0) { // nothing was compared: never a pass
        result->outcome = LADDER_UNGRADABLE;
        snprintf(result->message, sizeof result->message, "the lab has no correctness case");
    }
}

ladder_outcome ladder_judge_hidden(const ladder_submission_run *run,
                                   const ladder_criterion *criterion, int *out_right) {
    ladder_step_result *result = run->step_result, apart = {.outcome = LADDER_UNGRADABLE};
    ladder_grade_plan plan = *run->plan;
    ladder_submission_run own = *run;
    ladder_step_costs costs;
    char folder[LADDER_PATH];
    double start_s = kl_now_s();
    *out_right = 0;
    plan.cases = ladder_cases_find_hidden(run->plan->cases, criterion);
    plan.first_failure = false;
    own.plan = &plan;
    own.step_folder = folder;
    own.step_result = &apart;
    if (!ladder_defence_on(LADDER_DEFENCE_HIDDEN_APART)) own.step_result = result;
    if (plan.cases && ladder_path(folder, NULL, "%s_hidden", run->step_folder) == KL_OK &&
        ladder_folder_make(folder, NULL) == KL_OK) {
        ladder_judge_step(&own, &costs);
        ladder_folder_remove(folder);
    }
    *out_right = apart.cases_right;
    result->over_memory |= apart.over_memory && run->beside > 1; // graded again, alone
    result->hidden_s += kl_now_s() - start_s;
    if (apart.outcome != LADDER_UNGRADABLE) return LADDER_CORRECT;
    result->outcome = LADDER_UNGRADABLE;
    snprintf(
        result->message, sizeof result->message,
        "the hidden cases could not be run: grade this submission again, on a machine that has "
        "less to do");
    return LADDER_UNGRADABLE;
}

// ---- runs that break off ------------------------------------------------------------------------
// Whose fault it is that a run broke off (the engine ended, a reply made no sense). A submission
// could make either happen, and "ungradable" would then be better than the failure it deserves. So
// it is tried once more, from the start; what breaks off twice where the machine is fit is the
// submission's.

void ladder_broken_run(const char *folder, ladder_case_end *end) {
    kl_error err = {KL_OK, ""};
    char text[LADDER_MESSAGE];
    if (end->outcome != LADDER_UNGRADABLE || end->ours || !ladder_defence_on(LADDER_DEFENCE_BLAME))
        return;
    if (ladder_machine_fit(folder, &err) != KL_OK) {
        snprintf(text, sizeof text, "%.300s (%.600s)", err.text, end->text);
    } else {
        snprintf(text, sizeof text, "broke off twice: %.900s", end->text);
        end->outcome = LADDER_BROKEN_RUN;
    }
    snprintf(end->text, sizeof end->text, "%s", text);
}

void ladder_attempt_fairly(ladder_attempt *attempt, const ladder_case *item, int calls,
                           ladder_case_end *out_end) {
    ladder_attempt_case(attempt, item, calls, out_end);
    if (out_end->outcome != LADDER_UNGRADABLE) return;
    ladder_attempt_close(attempt);
    ladder_attempt_case(attempt, item, calls, out_end);
    ladder_broken_run(attempt->run->step_folder, out_end);
}
