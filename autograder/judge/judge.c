// SPDX-License-Identifier: MIT
// The judge of one built step: see judge.h. Trust model: docs on grading; the comparison uses the
// judge's own copy of inputs and answers, after the runner and all its descendants are unable to
// change what is compared.
#include "judge/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compare.h"
#include "judge/attempt.h"
#include "judge/kept.h"
#include "kit/defence.h"
#include "kit/demangle.h"
#include "kit/text.h"
#include "random.h"

enum {
    RUNNER_OUTPUT = 1 << 20,    // bytes that a step may print
    RUNNER_FILES = 16 << 20,    // bytes of a file that it may write
    READ_CHECK_BYTES = 1 << 16, // inputs from here on must be read by kernels
    STREAM_PLACES = 0x91ace,    // of random numbers
    START_S = 20,               // loading of the step
    RUNNER_TASKS = 32,          // processes and threads
    RUNNER_TASKS_GPU = 512,     // with those of the driver
    DEATHS_MAX = 3              // runners lost on one step before the rest of its cases is given up
};

void ladder_case_end_with(ladder_case_end *end, ladder_outcome outcome, bool dead,
                          const char *text) {
    end->outcome = outcome;
    end->dead = dead;
    ladder_plain(text, true, end->text, sizeof end->text);
}

ladder_limits ladder_judge_runner_limits(const ladder_judge *judge, bool gpu) {
    return (ladder_limits){
        .data_bytes = gpu ? 0 : judge->memory_bytes,
        .file_bytes = gpu ? 0 : RUNNER_FILES,
        .output_bytes = RUNNER_OUTPUT,
        .processes = gpu ? RUNNER_TASKS_GPU : RUNNER_TASKS,
        .memory_bytes = gpu ? 0 : 2 * judge->memory_bytes, // with what it shares with the device
    };
}

// Says how a runner that gave no answer ended.
static void explain_end(ladder_attempt *attempt, ladder_answer answer, ladder_case_end *end) {
    const ladder_process *runner = &attempt->session.program;
    char how[160], text[256];
    if (answer == LADDER_LATE) {
        bool busy = !attempt->gpu && ladder_session_engine_busy(&attempt->session);
        snprintf(text, sizeof text, "no answer within %g s: %s", attempt->judge->case_s,
                 attempt->gpu ? "the step does not end"
                 : busy       ? "a kernel was still running"
                              : "the host code does not end");
        ladder_case_end_with(end, LADDER_TIME_LIMIT, true, text);
        return;
    }
    snprintf(text, sizeof text, "the step %s", ladder_process_describe(runner, how, sizeof how));
    switch (runner->end) {
    case LADDER_END_OUT_OF_TIME: ladder_case_end_with(end, LADDER_TIME_LIMIT, true, text); break;
    case LADDER_END_TOO_MUCH_OUTPUT:
        ladder_case_end_with(end, LADDER_OUTPUT_LIMIT, true, text);
        break;
    case LADDER_END_TOO_MUCH_MEMORY:
        ladder_case_end_with(end, LADDER_MEMORY_LIMIT, true, text);
        break;
    case LADDER_END_SIGNALLED: ladder_case_end_with(end, LADDER_CRASHED, true, text); break;
    default:
        snprintf(text, sizeof text,
                 "the step ended the program (exit status %d) instead of returning", runner->code);
        ladder_case_end_with(end, LADDER_EXITED, true, text);
        break;
    }
}

// The engine's own account of a fault among the launches since `first`. False when there was none.
static bool find_fault(ladder_attempt *attempt, uint32_t first, ladder_case_end *end) {
    sim_engine *control = attempt->session.control;
    uint32_t count = 0;
    if (control == NULL || sim_launch_count(control, &count, NULL) != SIM_OK) return false;
    for (uint32_t i = first; i < count; i++) {
        sim_launch_report *report = NULL;
        if (sim_launch_report_get(control, i, &report, NULL) != SIM_OK) return false;
        sim_status kind = report->fault.kind;
        char text[KL_ERROR_TEXT];
        ladder_demangle_all(report->fault.text, text, sizeof text);
        sim_launch_report_free(report);
        if (kind == SIM_OK) continue;
        ladder_case_end_with(end, kind == SIM_RUNAWAY ? LADDER_RUNAWAY : LADDER_KERNEL_FAULT, true,
                             text);
        return true;
    }
    return false;
}

bool ladder_attempt_engine_lost(ladder_attempt *attempt, ladder_case_end *end) {
    ladder_session *session = &attempt->session;
    if (!session->has_engine) return false;
    ladder_process *one[] = {&session->engine};
    ladder_process_wait_readable(one, 1, -1, kl_now_s() + 0.05);
    if (session->engine.end == LADDER_END_RUNNING) return false;
    char how[160], text[600];
    snprintf(text, sizeof text, "the simulator's engine %s: %.300s",
             ladder_process_describe(&session->engine, how, sizeof how), session->engine.output);
    ladder_case_end_with(end, LADDER_UNGRADABLE, true, text);
    return true;
}

bool ladder_attempt_accept(ladder_attempt *attempt, ladder_answer answer,
                           const ladder_runner_reply *reply, uint32_t first_launch,
                           ladder_case_end *end) {
    if (answer == LADDER_ANSWERED && reply->state == LADDER_RUNNER_OK) return true;
    if (answer == LADDER_LATE) {
        explain_end(attempt, answer, end);
        return false;
    }
    if (ladder_attempt_engine_lost(attempt, end)) return false;
    if (find_fault(attempt, first_launch, end)) return false;
    if (answer == LADDER_ENDED) {
        explain_end(attempt, answer, end);
        return false;
    }
    switch ((ladder_runner_state)reply->state) {
    case LADDER_RUNNER_NOT_IMPLEMENTED:
        ladder_case_end_with(end, LADDER_NOT_IMPLEMENTED, false, reply->text);
        break;
    case LADDER_RUNNER_LOAD_ERROR:
        ladder_case_end_with(end, LADDER_NO_FUNCTION, true, reply->text);
        break;
    case LADDER_RUNNER_STEP_ERROR:
    case LADDER_RUNNER_CUDA_ERROR:
        ladder_case_end_with(end, LADDER_CUDA_ERROR, true, reply->text);
        break;
    default: ladder_case_end_with(end, LADDER_UNGRADABLE, true, reply->text); break;
    }
    return false;
}

static bool open_attempt(ladder_attempt *attempt, ladder_case_end *end) {
    const ladder_judge *judge = attempt->judge;
    kl_error err = {KL_OK, ""};
    kl_status status = KL_OK;
    ladder_session_init(&attempt->session);
    attempt->open = true;
    if (!attempt->gpu) {
        ladder_engine_options options = {.mode = attempt->checking ? "check" : NULL,
                                         .order = attempt->order,
                                         .judged = !attempt->checking,
                                         .instructions = judge->instructions,
                                         .threads = judge->threads,
                                         .answer_s = judge->case_s,
                                         .walled = true};
        status = ladder_session_start_engine(&attempt->session, judge->kit, &options, &err);
    }
    ladder_runner_spec spec = {.kit = judge->kit,
                               .lab = judge->lab,
                               .step = attempt->step->step,
                               .object = attempt->object,
                               .folder = attempt->folder,
                               .limits = ladder_judge_runner_limits(judge, attempt->gpu)};
    if (status == KL_OK) status = ladder_session_start_runner(&attempt->session, &spec, &err);
    if (status != KL_OK) {
        ladder_case_end_with(end, LADDER_UNGRADABLE, true, err.text);
        end->ours = true;
        return false;
    }
    ladder_runner_reply reply;
    ladder_answer answer = ladder_session_ask(&attempt->session, NULL, NULL, 0, START_S, &reply);
    return ladder_attempt_accept(attempt, answer, &reply, 0, end);
}

void ladder_attempt_close(ladder_attempt *attempt) {
    if (!attempt->open) return;
    ladder_session_end_program(&attempt->session);
    const ladder_process *runner = &attempt->session.program;
    if (attempt->session.has_program) {
        attempt->result->run_s += runner->wall_s;
        bool printed = attempt->printed_bytes > 0; // by kernels: nearer to what matters here
        if (attempt->result->log[0] == '\0')
            ladder_result_log(attempt->result, printed ? attempt->printed : runner->output,
                              printed ? attempt->printed_bytes : runner->output_bytes);
    }
    free(attempt->printed);
    attempt->printed = NULL;
    attempt->printed_bytes = 0;
    ladder_session_close(&attempt->session);
    attempt->open = false;
}

ladder_runner_request ladder_setup_request(const ladder_case *items, int sets,
                                           uint64_t workspace_max_bytes, int slots,
                                           int file_slots) {
    const kl_prepared *p = &items[0].data;
    ladder_runner_request request = {
        .kind = LADDER_RUNNER_SETUP,
        .sets = (uint32_t)sets,
        .slots = (uint32_t)slots,
        .file_slots = (uint32_t)file_slots,
        .file_bytes = ladder_kept_file_bytes(p, file_slots),
        .input_count = p->shape.input_count,
        .output_count = p->shape.output_count,
        .workspace_bytes = p->shape.workspace_bytes,
        .workspace_max_bytes = workspace_max_bytes,
        .prepared_bytes = p->shape.prepared_bytes,
        .prepare_inputs = p->shape.prepare_inputs,
        .host = p->shape.host,
    };
    for (int i = 0; i < p->shape.input_count; i++) {
        request.input_bytes[i] = p->input_bytes[i];
        request.input_offset[i] = p->shape.inputs[i].offset_bytes;
    }
    for (int i = 0; i < p->shape.output_count; i++) request.output_bytes[i] = p->output_bytes[i];
    for (int s = 0; s < sets; s++) {
        const kl_case *shape = &items[s].data.shape;
        memcpy(request.scalars[s].ints, shape->ints, sizeof shape->ints);
        memcpy(request.scalars[s].reals, shape->reals, sizeof shape->reals);
    }
    return request;
}

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
    if (!attempt->open && !open_attempt(attempt, end)) return;

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

void ladder_judge_hide_folder(const char *object, char *text) {
    char folder[LADDER_PATH];
    snprintf(folder, sizeof folder, "%s", object);
    char *slash = strrchr(folder, '/');
    if (slash == NULL) return;
    slash[1] = '\0';
    ladder_remove_text(text, folder);
}

static void record_failure(ladder_step_result *result, const ladder_case *item,
                           const ladder_case_end *end) {
    if (result->failure_count < LADDER_FAILURES_MAX) {
        ladder_failure *f = &result->failures[result->failure_count];
        f->outcome = end->outcome;
        snprintf(f->title, sizeof f->title, "%s", item->title);
        snprintf(f->text, sizeof f->text, "%s", end->text);
    }
    result->failure_count++;
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
    uint64_t bytes = 0;
    for (int i = 0; i < item->data.shape.input_count; i++) bytes += item->data.input_bytes[i];
    return bytes < LADDER_REPEAT_BELOW_BYTES && ladder_defence_on(LADDER_DEFENCE_SECOND_CALL) ? 2
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
    if (attempt->session.control == NULL)
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

void ladder_judge_step(const ladder_judge *judge, const ladder_rubric_step *step,
                       const char *object, const char *folder, ladder_step_result *result,
                       ladder_step_costs *out_costs) {
    ladder_attempt attempt = {.judge = judge,
                              .step = step,
                              .object = object,
                              .folder = folder,
                              .gpu = judge->gpu,
                              .result = result};
    int deaths = 0;
    bool seen[LADDER_OUTCOMES] = {false};
    bool stop = false;
    result->outcome = LADDER_CORRECT;
    memset(out_costs, 0, sizeof *out_costs);
    out_costs->first_wrong = -1;
    for (int i = 0; i < judge->cases->count; i++) {
        const ladder_case *item = &judge->cases->items[i];
        if (!item->check) continue;
        int family = item->data.shape.family;
        if (!kl_problem_serves(judge->lab->problem, family, step->step)) continue;
        result->cases_total++;
        if (stop) continue;
        ladder_case_end end;
        if (ladder_defence_on(LADDER_DEFENCE_RANDOM_PLACES))
            attempt.places = kl_random_fork(judge->cases->seed, STREAM_PLACES);
        ladder_attempt_fairly(&attempt, item, calls_for(item), &end);
        result->cases_run++;
        if (i < LADDER_JUDGE_CASES && !end.dead) {
            out_costs->instructions[i] = cost_of(&attempt, item, &end);
            if (end.outcome == LADDER_WRONG_ANSWER && out_costs->first_wrong < 0)
                out_costs->first_wrong = i;
        }
        if (end.outcome == LADDER_CORRECT) {
            result->cases_right++;
            continue;
        }
        ladder_judge_hide_folder(object, end.text);
        record_failure(result, item, &end);
        // A wrong answer without a launch may be one to a case without work; a later case tells
        // (record_failure).
        bool decided = end.outcome != LADDER_WRONG_ANSWER || end.launches > 0;
        if (judge->first_failure && decided) stop = true;
        if (!end.dead) {
            stop = stop || end.outcome == LADDER_NOT_IMPLEMENTED;
            continue;
        }
        ladder_attempt_close(&attempt);
        // A second failure of the same fatal kind, or one that costs a whole time limit, ends the
        // step.
        stop = stop || ++deaths == DEATHS_MAX || seen[end.outcome] ||
               end.outcome == LADDER_TIME_LIMIT || end.outcome == LADDER_RUNAWAY ||
               end.outcome == LADDER_NO_FUNCTION || end.outcome == LADDER_BROKEN_RUN ||
               end.outcome == LADDER_UNGRADABLE;
        seen[end.outcome] = true;
    }
    ladder_attempt_close(&attempt);
    ladder_judge_hide_folder(object, result->log);
    if (result->cases_total == 0) { // nothing was compared: never a pass
        result->outcome = LADDER_UNGRADABLE;
        snprintf(result->message, sizeof result->message, "the lab has no correctness case");
    }
}
