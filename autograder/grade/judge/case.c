// One case of a step: calls, outputs, verdict. See attempt.c. The comparison uses the judge's own
// copy of inputs and answers, after the runner and all its descendants are unable to change what is
// compared.
#include "grade/judge/judge.h"
#include "utilities/defence.h"

enum { READ_CHECK_BYTES = 1 << 16 }; // inputs from here on must be read by kernels

// Compares the outputs of one call. `bytes`: the judge's own copy.
static void judge_outputs(const kl_problem *problem, const kl_prepared *p, unsigned char *bytes,
                          int call, ladder_case_end *end) {
    kl_verdict *v = &end->verdict;
    if (ladder_outputs_verify(problem, p, bytes, v)) return;
    char text[LADDER_MESSAGE], got[32], expected[32], bound[48] = "";
    if (v->bound > 0) snprintf(bound, sizeof bound, " (allowed error %.3g)", v->bound);
    const char *output = p->shape.outputs[v->output].name;
    snprintf(
        text, sizeof text, "%s[%llu]: expected %s, got %s%s%s%s%s", output,
        (unsigned long long)v->first_wrong, kl_value_text(v->expected, expected, sizeof expected),
        kl_value_text(v->got, got, sizeof got), bound,
        call > 0 ? ", in a second call, on other data and with what the first one left behind" : "",
        v->hint[0] != '\0' ? ": " : "", v->hint);
    ladder_case_end_with(end, LADDER_WRONG_ANSWER, false, text);
}

// The kernels themselves must have read the input: an answer made on the host is no solution.
static void check_reading(ladder_attempt *attempt, const ladder_case *item, ladder_case_end *end) {
    uint64_t input_bytes = ladder_input_bytes(&item->data) - item->data.shape.unread_bytes;
    bool watched =
        attempt->session.control && !attempt->checking && kl_case_has_kernels(&item->data.shape);
    if (!watched || input_bytes < READ_CHECK_BYTES || !ladder_defence_on(LADDER_DEFENCE_INPUT_READ))
        return;
    uint64_t read_bytes = 0;
    for (uint32_t i = 0; i < end->launches; i++) {
        sim_launch_report *report = NULL;
        if (sim_launch_report_get(attempt->session.control, end->first_launch + i, &report, NULL) !=
            SIM_OK) {
            ladder_case_end_with(end, LADDER_UNGRADABLE, true,
                                 "the simulator gave no report of a launch");
            return;
        }
        read_bytes += report->totals.value[SIM_COUNTER_FOOTPRINT_READ];
        sim_launch_report_free(report);
    }
    if (read_bytes >= input_bytes / 4) return;
    char text[256];
    snprintf(
        text, sizeof text,
        "the kernels read %llu bytes of an input of %llu: the answer was not made on the device",
        (unsigned long long)read_bytes, (unsigned long long)input_bytes);
    ladder_case_end_with(end, LADDER_NOT_READ, false, text);
}

void ladder_attempt_case(ladder_attempt *attempt, const ladder_case *item, int calls,
                         ladder_case_end *out_end) {
    ladder_case_end *end = out_end, doubt = {.outcome = LADDER_CORRECT};
    memset(end, 0, sizeof *end);
    end->outcome = LADDER_CORRECT;
    free(attempt->outputs);
    attempt->outputs = NULL;
    if (!attempt->open && !ladder_attempt_open(attempt, end)) return;

    const kl_prepared *p = &item->data;
    unsigned char *copy = malloc(p->outputs_span * (uint64_t)calls + 1);
    if (!copy) {
        ladder_case_end_with(end, LADDER_UNGRADABLE, true, "no memory for outputs");
        end->ours = true;
        return;
    }
    sim_engine *control = kl_case_has_kernels(&p->shape) ? attempt->session.control : NULL;
    bool given = control && !p->shape.host && ladder_defence_on(LADDER_DEFENCE_GIVEN_MEMORY);
    if (control && !given) sim_launch_count(control, &end->first_launch, NULL);
    attempt->session.answers = (ladder_answers){.one_limit = true}; // all that the case asks for
    attempt->slept_s = 0;
    bool ran = given ? ladder_calls_on_engine(attempt, item, calls, copy, end, &doubt)
                     : ladder_calls_by_runner(attempt, item, calls, copy, end, &doubt);
    attempt->session.answers = (ladder_answers){.one_limit = false};
    if (control && !given) {
        sim_launch_count(control, &end->launches, NULL);
        end->launches -= end->first_launch;
    }
    for (int call = 0; ran && call < calls && end->outcome == LADDER_CORRECT; call++)
        judge_outputs(attempt->run->plan->lab->problem, ladder_case_data(item, call),
                      copy + p->outputs_span * (uint64_t)call, call, end);
    if (ran && end->outcome == LADDER_CORRECT && doubt.outcome != LADDER_CORRECT)
        ladder_case_end_with(end, doubt.outcome, false, doubt.text);
    if (ran && end->outcome == LADDER_CORRECT) check_reading(attempt, item, end);
    ladder_attempt_starved(attempt, end);
    attempt->outputs = attempt->keeps && ran ? copy : NULL;
    if (!attempt->outputs) free(copy);
}
