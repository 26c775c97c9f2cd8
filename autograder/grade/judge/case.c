// SPDX-License-Identifier: MIT
// One case of a step: calls, outputs, verdict. See judge.h. The comparison uses the judge's own
// copy of inputs and answers, after the runner and all its descendants are unable to change what is
// compared.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compare.h"
#include "grade/judge/attempt.h"
#include "grade/judge/kept.h"
#include "utilities/defence.h"

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
    input_bytes -= item->data.shape.unread_bytes;
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

// What one case needs where the runner holds the memory: on a GPU, and for functions of host
// memory.
typedef struct files {
    ladder_attempt *attempt;
    const ladder_case *item;
    int calls;
    int outputs_fd;
    unsigned char *mapped; // the outputs' file
    ladder_case_end *end, *doubt;
} files;

static bool ask_runner(files *f, const ladder_runner_request *request, const int *fds, int count) {
    ladder_runner_reply reply;
    ladder_answer answer = ladder_session_ask(&f->attempt->session, request, fds, count,
                                              f->attempt->judge->case_s, &reply);
    return ladder_attempt_accept(f->attempt, answer, &reply, f->end->first_launch, f->end);
}

static bool set_up_files(files *f, int call) {
    ladder_case shown = {.data = *ladder_case_data(f->item, call)};
    bool fresh = ladder_case_data(f->item, call) == &f->item->fresh;
    const int fds[] = {fresh ? f->item->fresh_fd : f->item->inputs_fd, f->outputs_fd};
    ladder_runner_request request = ladder_setup_request(
        &shown, 1, f->attempt->judge->cases->workspace_bytes, f->calls, f->calls);
    request.fenced = f->attempt->gpu;
    return ask_runner(f, &request, fds, 2);
}

// Calls the step, takes its output, and then its inputs.
static bool call_files(files *f, int call, unsigned char *output) {
    const kl_prepared *p = ladder_case_data(f->item, call);
    uint64_t span = ladder_runner_span(p->output_bytes, p->shape.output_count);
    const char *changed = NULL;
    kl_error err = {KL_OK, ""};
    char text[160];
    ladder_runner_request request = {
        .kind = LADDER_RUNNER_GO, .first_slot = (uint32_t)call, .calls = 1};
    if (!ask_runner(f, &request, NULL, 0)) return false;
    request = (ladder_runner_request){.kind = LADDER_RUNNER_FETCH,
                                      .calls = (uint32_t)call + 1,
                                      .chosen_count = 1,
                                      .chosen = {(uint32_t)call}};
    if (!ask_runner(f, &request, NULL, 0)) return false;
    memcpy(output, f->mapped, span); // from here on the runner can change nothing that is judged
    ladder_case shown = {.data = *p};
    kl_status status = ladder_inputs_kept(&f->attempt->session, &shown, 1, f->mapped,
                                          f->attempt->judge->case_s, &changed, &err);
    if (status != KL_OK) {
        f->end->ours = status == KL_ERROR_SYSTEM;
        ladder_case_end_with(f->end, f->end->ours ? LADDER_UNGRADABLE : LADDER_CRASHED, true,
                             err.text);
        return false;
    }
    snprintf(text, sizeof text, "%.64s is not what it was before the call: inputs are const",
             changed != NULL ? changed : "");
    if (changed != NULL && f->doubt->outcome == LADDER_CORRECT)
        ladder_case_end_with(f->doubt, LADDER_INPUT_CHANGED, false, text);
    return true;
}

// Here the runner says what came out (runner_protocol.h). True when outputs have come.
static bool drive_files(ladder_attempt *attempt, const ladder_case *item, int calls,
                        unsigned char *outputs, ladder_case_end *end, ladder_case_end *out_doubt) {
    files f = {.attempt = attempt, .item = item, .calls = calls, .end = end, .doubt = out_doubt};
    uint64_t file_bytes = ladder_kept_file_bytes(&item->data, calls);
    uint64_t span = ladder_runner_span(item->data.output_bytes, item->data.shape.output_count);
    kl_error err = {KL_OK, ""};
    if (ladder_memory_file(file_bytes, KL_POISON, &f.outputs_fd, &f.mapped, &err) != KL_OK) {
        ladder_case_end_with(end, LADDER_UNGRADABLE, true, err.text);
        end->ours = true;
        return false;
    }
    bool ran = true;
    for (int call = 0; ran && call < calls; call++) {
        bool other = call == 0 || ladder_case_data(item, call) != ladder_case_data(item, call - 1);
        ran = (!other || set_up_files(&f, call)) &&
              call_files(&f, call, outputs + span * (uint64_t)call);
    }
    munmap(f.mapped, file_bytes > 0 ? file_bytes : 1);
    close(f.outputs_fd);
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
    sim_engine *control = p->shape.host ? NULL : attempt->session.control;
    bool given = control != NULL && ladder_defence_on(LADDER_DEFENCE_GIVEN_MEMORY);
    if (control != NULL && !given) sim_launch_count(control, &end->first_launch, NULL);
    bool ran = given ? ladder_drive_given(attempt, item, calls, copy, end, &doubt)
                     : drive_files(attempt, item, calls, copy, end, &doubt);
    if (control != NULL && !given) {
        sim_launch_count(control, &end->launches, NULL);
        end->launches -= end->first_launch;
    }
    for (int call = 0; ran && call < calls && end->outcome == LADDER_CORRECT; call++)
        judge_outputs(attempt->judge, ladder_case_data(item, call), copy + span * (uint64_t)call,
                      call, end);
    if (ran && end->outcome == LADDER_CORRECT && doubt.outcome != LADDER_CORRECT)
        ladder_case_end_with(end, doubt.outcome, false, doubt.text);
    if (ran && end->outcome == LADDER_CORRECT) check_reading(attempt, item, end);
    ladder_attempt_starved(attempt, end);
    free(copy);
}
