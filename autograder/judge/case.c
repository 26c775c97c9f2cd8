// SPDX-License-Identifier: MIT
// One case of a step: calls, outputs, verdict. See judge.h. The comparison uses the judge's own copy of
// inputs and answers, after the runner and all its descendants are unable to change what is compared.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compare.h"
#include "judge/attempt.h"
#include "judge/kept.h"
#include "kit/defence.h"

enum { READ_CHECK_BYTES = 1 << 16 }; // inputs from here on must be read by kernels

// Compares the outputs of one call. `bytes`: the judge's own copy.
static void judge_outputs(const ladder_judge *judge, const kl_prepared *p, unsigned char *bytes,
                          int call, ladder_case_end *end) {
    const void *outputs[KL_MAX_BUFFERS];
    for (int i = 0; i < p->shape.output_count; i++) {
        outputs[i] = bytes;
        bytes += ladder_runner_aligned(p->output_bytes[i]);
    }
    kl_verdict *v = &end->verdict;
    judge->lab->problem->verify(&p->shape, (const void *const *)p->inputs, p->solution, outputs, v);
    if (v->ok && v->compared > 0) return;
    char text[LADDER_MESSAGE], got[32];
    const char *output = p->shape.outputs[v->output].name;
    snprintf(text, sizeof text, "%s[%llu]: expected %.9g, got %s (allowed error %.3g)%s%s%s",
             output, (unsigned long long)v->first_wrong, v->expected,
             kl_value_text(v->got, got, sizeof got), v->bound,
             call > 0 ? ", in a second call, on other data and with what the first one left behind"
                      : "",
             v->hint[0] != '\0' ? ": " : "", v->hint);
    ladder_case_end_with(end, LADDER_WRONG_ANSWER, false, text);
}

// The kernels themselves must have read the input: an answer made on the host is no solution.
static void check_reading(ladder_attempt *attempt, const ladder_case *item, ladder_case_end *end) {
    uint64_t input_bytes = 0;
    for (int i = 0; i < item->data.shape.input_count; i++) input_bytes += item->data.input_bytes[i];
    bool watched = attempt->session.control != NULL && !attempt->checking && !item->data.shape.host;
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

// Setup, calls, fetch on a GPU, and for steps that are functions of host memory: the runner says what
// came out (runner_protocol.h). True when outputs have come.
static bool drive_files(ladder_attempt *attempt, const ladder_case *item, int calls,
                        unsigned char *outputs, ladder_case_end *end, ladder_case_end *out_doubt) {
    const ladder_judge *judge = attempt->judge;
    ladder_session *session = &attempt->session;
    uint64_t bytes = ladder_runner_span(item->data.output_bytes, item->data.shape.output_count) *
                     (uint64_t)calls;
    uint64_t file_bytes = ladder_kept_file_bytes(&item->data, calls);
    unsigned char *mapped = NULL;
    int outputs_fd = -1;
    kl_error err = {KL_OK, ""};
    if (ladder_memory_file(file_bytes, KL_POISON, &outputs_fd, &mapped, &err) != KL_OK) {
        ladder_case_end_with(end, LADDER_UNGRADABLE, true, err.text);
        end->ours = true;
        return false;
    }
    ladder_runner_request request =
        ladder_setup_request(item, 1, judge->cases->workspace_bytes, calls, calls);
    request.fenced = attempt->gpu;
    ladder_runner_reply reply;
    const int files[] = {item->inputs_fd, outputs_fd};
    ladder_answer answer = ladder_session_ask(session, &request, files, 2, judge->case_s, &reply);
    bool ran = ladder_attempt_accept(attempt, answer, &reply, end->first_launch, end);
    for (int call = 0; ran && call < calls; call++) {
        request = (ladder_runner_request){
            .kind = LADDER_RUNNER_GO, .first_slot = (uint32_t)call, .calls = 1};
        answer = ladder_session_ask(session, &request, NULL, 0, judge->case_s, &reply);
        ran = ladder_attempt_accept(attempt, answer, &reply, end->first_launch, end);
    }
    if (ran) {
        request = (ladder_runner_request){.kind = LADDER_RUNNER_FETCH, .calls = (uint32_t)calls};
        answer = ladder_session_ask(session, &request, NULL, 0, judge->case_s, &reply);
        ran = ladder_attempt_accept(attempt, answer, &reply, end->first_launch, end);
    }
    memcpy(outputs, mapped, bytes); // from here on the runner can change nothing that is judged
    const char *changed = NULL;
    if (ran &&
        ladder_inputs_kept(session, item, 1, mapped, judge->case_s, &changed, &err) != KL_OK) {
        ladder_case_end_with(out_doubt, LADDER_CRASHED, true, err.text);
    } else if (changed != NULL) {
        char text[160];
        snprintf(text, sizeof text, "%.64s is not what it was before the call: inputs are const",
                 changed);
        ladder_case_end_with(out_doubt, LADDER_INPUT_CHANGED, false, text);
    }
    munmap(mapped, file_bytes > 0 ? file_bytes : 1);
    close(outputs_fd);
    return ran;
}

void ladder_attempt_case(ladder_attempt *attempt, const ladder_case *item, int calls,
                         ladder_case_end *out_end) {
    ladder_case_end *end = out_end, doubt = {.outcome = LADDER_CORRECT};
    memset(end, 0, sizeof *end);
    end->outcome = LADDER_CORRECT;
    if (!attempt->open && !ladder_attempt_open(attempt, end)) return;

    const kl_prepared *p = &item->data;
    uint64_t span = ladder_runner_span(p->output_bytes, p->shape.output_count);
    unsigned char *copy = malloc(span * (uint64_t)calls + 1);
    if (copy == NULL) {
        ladder_case_end_with(end, LADDER_UNGRADABLE, true, "no memory for outputs");
        end->ours = true;
        return;
    }
    bool given = attempt->session.control != NULL && !p->shape.host;
    bool ran = given ? ladder_drive_given(attempt, item, calls, copy, end, &doubt)
                     : drive_files(attempt, item, calls, copy, end, &doubt);
    for (int call = 0; ran && call < calls && end->outcome == LADDER_CORRECT; call++)
        judge_outputs(attempt->judge, ladder_case_data(item, call), copy + span * (uint64_t)call,
                      call, end);
    if (ran && end->outcome == LADDER_CORRECT && doubt.outcome != LADDER_CORRECT)
        ladder_case_end_with(end, doubt.outcome, false, doubt.text);
    if (ran && end->outcome == LADDER_CORRECT) check_reading(attempt, item, end);
    free(copy);
}
