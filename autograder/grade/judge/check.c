// The check of one step: see judge.h. A finding of the kit's own making would cost a student
// points, so an engine that ends by itself costs nothing: the report then says that the step is
// not, or not fully, checked.
#include "grade/judge/judge.h"
#include "utilities/defence.h"
#include "parallel.h"
#include "random.h"

enum {
    // The checker runs 7 to 40 million warp instructions in a second.
    STEP_INSTRUCTIONS = 8 << 20,
    FAMILY_CASES = 2
};

typedef struct step_check {
    const ladder_submission_run *run;
    const ladder_finding_source *source;
    ladder_attempt attempt;        // on checking engines
    bool ordered;                  // on an engine that runs blocks and warps in another order
    char disorder[LADDER_MESSAGE]; // the first case that is wrong there; "": none
} step_check;

// Indices of the cases to run, in their order; returns how many.
static int choose(const ladder_cases *cases, const uint64_t *instructions, int *out_chosen) {
    enum { FAMILIES = 64 };
    int taken[FAMILIES] = {0}, families = 0, count = 0;
    bool wanted[LADDER_JUDGE_CASES] = {false};
    for (int i = 0; i < cases->count && i < LADDER_JUDGE_CASES; i++) {
        int family = cases->items[i].data.shape.family;
        if (instructions[i] == 0 || family >= FAMILIES) continue;
        families += taken[family]++ == 0;
    }
    if (families == 0) return 0;
    memset(taken, 0, sizeof taken);
    uint64_t share = STEP_INSTRUCTIONS / FAMILY_CASES / (uint64_t)families, least = UINT64_MAX;
    int cheapest = -1;
    int last = (cases->count < LADDER_JUDGE_CASES ? cases->count : LADDER_JUDGE_CASES) - 1;
    for (int i = last; i >= 0; i--) { // from the largest size: kl_case_list_sort
        int family = cases->items[i].data.shape.family;
        if (instructions[i] == 0 || family >= FAMILIES) continue;
        if (instructions[i] < least) {
            least = instructions[i];
            cheapest = i;
        }
        if (instructions[i] > share || taken[family] == FAMILY_CASES) continue;
        taken[family]++;
        wanted[i] = true;
        count++;
    }
    if (count == 0) wanted[cheapest] = true;
    count = 0;
    for (int i = 0; i < cases->count && i < LADDER_JUDGE_CASES; i++)
        if (wanted[i]) out_chosen[count++] = i;
    return count;
}

static void tell(step_check *check, const sim_finding *finding, const ladder_case *item) {
    ladder_check_result *told = &check->run->step_result->check;
    const kl_problem *problem = check->run->plan->lab->problem;
    char *text = NULL, place[192], why[sizeof told->findings[0].text];
    size_t bytes = 0;
    const kl_style plain = {.width = 72};
    FILE *out = open_memstream(&text, &bytes);
    if (out) {
        const kl_case *shape = &item->data.shape;
        ladder_finding_print(finding, check->source, &plain, out);
        fprintf(out, "    again, with other values: ./ladder check %s %d --case %s --size %lld\n",
                problem->name, check->run->step->step, problem->families[shape->family].name,
                (long long)shape->size);
        fclose(out);
    }
    if (told->finding_count < LADDER_FINDINGS_MAX) {
        ladder_found *found = &told->findings[told->finding_count];
        found->kind = sim_check_name(finding->kind);
        ladder_plain(ladder_finding_place(finding, place, sizeof place), false, found->place,
                     sizeof found->place);
        ladder_plain(ladder_finding_text(finding, check->source, why, sizeof why), false,
                     found->text, sizeof found->text);
    }
    told->finding_count++;
    ladder_case_end end = {.outcome = LADDER_FINDING};
    ladder_plain(text ? text : "", true, end.text, sizeof end.text);
    size_t length = strlen(end.text);
    while (length > 0 && end.text[length - 1] == '\n') end.text[--length] = '\0';
    ladder_judge_failure(check->run, LADDER_FINDING, item, &end);
    free(text);
}

// The check itself has failed: the step keeps its points, and its report says so.
static void fail(step_check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(step_check *check, const char *format, ...) {
    char text[sizeof check->run->step_result->check.failed];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ladder_plain(text, false, check->run->step_result->check.failed,
                 sizeof check->run->step_result->check.failed);
}

// The step's own fault stands with its case: of the findings only its causes are told.
static bool is_faulty(const step_check *check) {
    return check->run->step_result->outcome == LADDER_KERNEL_FAULT;
}

// Errors that the engine has found since `before` findings were there. False when it does not
// answer.
static bool take_findings(step_check *check, const ladder_case *item, uint32_t *before) {
    sim_check_report *report = NULL;
    kl_error err = {KL_OK, ""};
    if (sim_check_report_get(check->attempt.session.control, &report, &err) != SIM_OK) return false;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < report->count; i++) {
        if (sim_check_is_warning(report->findings[i].kind)) continue;
        const char *kind = sim_check_name(report->findings[i].kind);
        if (seen++ >= *before && (!is_faulty(check) || kl_may_cause_fault(kind)) &&
            ladder_finding_is_of(&report->findings[i], item->data.shape.size))
            tell(check, &report->findings[i], item);
    }
    *before = seen;
    sim_check_report_free(report);
    return true;
}

// A step that was right before is wrong in the other order.
static void tell_disorder(step_check *check, const ladder_case *item, const ladder_case_end *end) {
    snprintf(check->disorder, sizeof check->disorder, "%s: %.*s", item->title, LADDER_MESSAGE - 200,
             end->text);
    ladder_judge_hide_folder(check->run->object, check->disorder);
    ladder_judge_failure(check->run, LADDER_ORDER, item, end);
}

// The check broke off twice: a step could end the checker in order to pass.
static void blame(step_check *check, const ladder_case *item, ladder_case_end *end) {
    ladder_broken_run(check->run->step_folder, end);
    if (end->outcome != LADDER_BROKEN_RUN) {
        fail(check, "%s: %.150s", item->title, end->text);
        return;
    }
    check->run->step_result->outcome = LADDER_BROKEN_RUN;
    snprintf(check->run->step_result->message, sizeof check->run->step_result->message,
             "the check, %s: %.800s", item->title, end->text);
}

// One case and its findings. False when the check broke off.
static bool run_case(step_check *check, const ladder_case *item, uint32_t *errors,
                     ladder_case_end *end) {
    ladder_attempt_case(&check->attempt, item, 1, end);
    if (end->outcome == LADDER_UNGRADABLE) return false;
    if (take_findings(check, item, errors)) return true;
    *end = (ladder_case_end){.outcome = LADDER_UNGRADABLE, .dead = true};
    snprintf(end->text, sizeof end->text, "the checking engine does not answer");
    ladder_attempt_starved(&check->attempt, end);
    return false;
}

static void run_cases(step_check *check, const int *chosen, int count) {
    const ladder_cases *cases = check->run->plan->cases;
    uint32_t errors = 0;
    for (int i = 0; i < count; i++) {
        const ladder_case *item = &cases->items[chosen[i]];
        ladder_case_end end;
        if (!run_case(check, item, &errors, &end)) {
            ladder_attempt_close(&check->attempt);
            errors = 0; // of a new engine
            if (!run_case(check, item, &errors, &end)) {
                blame(check, item, &end);
                return;
            }
        }
        check->run->step_result->check.cases++;
        bool wrong = end.outcome == LADDER_WRONG_ANSWER || end.outcome == LADDER_KERNEL_FAULT;
        if (check->ordered && wrong && check->disorder[0] == '\0') tell_disorder(check, item, &end);
        if (end.dead) {
            if (errors == 0 && check->disorder[0] == '\0' && !is_faulty(check))
                fail(check, "%s: %.150s", item->title, end.text);
            return; // nothing runs after a fault
        }
    }
}

// Whether any of a step's cases is for the device.
static bool launches_kernels(const ladder_grade_plan *plan, int step) {
    for (int i = 0; i < plan->cases->count; i++) {
        const kl_case *shape = &plan->cases->items[i].data.shape;
        if (plan->cases->items[i].check && kl_case_has_kernels(shape) && shape->work_bytes > 0 &&
            kl_problem_serves(plan->lab->problem, shape->family, step))
            return true;
    }
    return false;
}

// A case for the order in which the step was graded: one that chance names of those that cost no
// less than they do on average.
static int choose_usual(const uint64_t *instructions, const int *chosen, int count, uint64_t seed) {
    int costly[LADDER_JUDGE_CASES], costly_count = 0;
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) sum += instructions[chosen[i]];
    for (int i = 0; i < count; i++)
        if (instructions[chosen[i]] * (uint64_t)count >= sum) costly[costly_count++] = chosen[i];
    return costly[kl_random_below(seed, 0, (uint32_t)costly_count)];
}

// A kernel can tell in which order blocks run, and race only where that is the usual one, in which
// the race goes well. So one case is checked in that order, too.
static void check_usual_order(step_check *check, const int *chosen, int count,
                              const uint64_t *instructions, uint64_t seed) {
    bool clean = check->ordered && check->run->step_result->outcome == LADDER_CORRECT &&
                 check->run->step_result->check.finding_count == 0 &&
                 check->run->step_result->check.failed[0] == '\0' && check->disorder[0] == '\0';
    if (!clean || count == 0 || !ladder_defence_on(LADDER_DEFENCE_CHECKER) ||
        !ladder_defence_on(LADDER_DEFENCE_USUAL_ORDER))
        return;
    int usual = choose_usual(instructions, chosen, count, seed);
    ladder_attempt_close(&check->attempt);
    check->attempt.order = NULL;
    check->ordered = false;
    check->run->step_result->check.wanted++;
    run_cases(check, &usual, 1);
}

void ladder_judge_check(const ladder_submission_run *run, const ladder_finding_source *source,
                        const ladder_step_costs *costs) {
    const ladder_grade_plan *plan = run->plan;
    ladder_step_result *result = run->step_result;
    step_check check = {.run = run, .source = source, .attempt = {.run = run, .checking = true}};
    char order[40];
    uint64_t seed = kl_random_fork(plan->cases->seed, (uint64_t)run->step->step);
    int bad = costs->first_wrong >= 0 ? costs->first_wrong : costs->first_fault;
    int chosen[LADDER_JUDGE_CASES] = {bad}, count = 1;
    if (bad < 0) count = choose(plan->cases, costs->instructions, chosen);
    else if (costs->instructions[bad] > STEP_INSTRUCTIONS) count = 0;
    bool checks = ladder_defence_on(LADDER_DEFENCE_CHECKER);
    check.ordered =
        result->outcome == LADDER_CORRECT && ladder_defence_on(LADDER_DEFENCE_OTHER_ORDER);
    if (!checks && !check.ordered) return;
    if (check.ordered) {
        snprintf(order, sizeof order, "random:%" PRIu64, seed);
        check.attempt.order = order;
    }
    result->check.wanted = count;
    if (count == 0 && launches_kernels(plan, run->step->step) && result->outcome == LADDER_CORRECT)
        fail(&check, "the simulator did not say what its cases cost");
    run_cases(&check, chosen, count);
    check_usual_order(&check, chosen, count, costs->instructions, seed);
    ladder_attempt_close(&check.attempt);
    if (result->outcome != LADDER_CORRECT) return;
    if ((result->check.finding_count == 0 || !checks) && check.disorder[0] != '\0') {
        result->outcome = LADDER_ORDER;
        snprintf(result->message, sizeof result->message,
                 "right answers, but wrong when blocks and warps run in another order: %.800s",
                 check.disorder);
    }
    if (result->check.finding_count == 0 || !checks) return;
    const ladder_found *first = &result->check.findings[0];
    result->outcome = LADDER_FINDING;
    snprintf(result->message, sizeof result->message,
             "right answers, but the check found: %s at %s", first->kind, first->place);
}
