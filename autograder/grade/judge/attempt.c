// A runner on one step: it is started with its engine, its replies are taken in, its end is
// explained. See judge.h.
#include "grade/judge/judge.h"
#include <sys/file.h>

enum {
    RUNNER_OUTPUT = 1 << 20, // bytes that a step may print
    RUNNER_FILES = 16 << 20, // bytes of a file that it may write
    START_S = 20,            // loading of the step
    RUNNER_TASKS = 32,       // processes and threads
    RUNNER_TASKS_GPU = 512   // with those of the driver
};

static const double ran_share = 0.5;   // of an answer's time, of what computes
static const double engine_end_s = 60; // for its end to show once it does not answer

void ladder_case_end_with(ladder_case_end *end, ladder_outcome outcome, bool dead,
                          const char *text) {
    end->outcome = outcome;
    end->dead = dead;
    ladder_plain(text, true, end->text, sizeof end->text);
}

uint64_t ladder_submission_memory(uint64_t machine_bytes, int64_t at_a_time) {
    uint64_t share = machine_bytes / 4 / (uint64_t)(at_a_time > 1 ? at_a_time : 1);
    if (machine_bytes == 0 || share > LADDER_SUBMISSION_MEMORY) return LADDER_SUBMISSION_MEMORY;
    return share > LADDER_SUBMISSION_MEMORY_LEAST ? share : LADDER_SUBMISSION_MEMORY_LEAST;
}

int64_t ladder_submissions_at_a_time(uint64_t machine_bytes) {
    uint64_t most = machine_bytes / 2 / LADDER_SUBMISSION_MEMORY_LEAST;
    return machine_bytes == 0 ? INT64_MAX : most > 1 ? (int64_t)most : 1;
}

uint64_t ladder_run_memory(const ladder_submission_run *run) {
    return run->plan->memory_bytes / (uint64_t)(run->beside > 1 ? run->beside : 1);
}

ladder_limits ladder_runner_limits(const ladder_submission_run *run, bool gpu) {
    return (ladder_limits){
        .data_bytes = gpu ? 0 : run->plan->memory_bytes / 2,
        .file_bytes = gpu ? 0 : RUNNER_FILES,
        .output_bytes = RUNNER_OUTPUT,
        .processes = gpu ? RUNNER_TASKS_GPU : RUNNER_TASKS,
        .memory_bytes = gpu ? 0 : ladder_run_memory(run), // with the engine, which has the device's
    };
}

// What became of the time of a late answer, where the clock went on for much longer than the limit.
// Only of the machine's faults: what is said of a step is the same on every machine.
static const char *clock_text(const ladder_wait *late, char text[160]) {
    const double much = 1.2; // times the limit
    text[0] = '\0';
    if (late->took_s > much * late->limit_s)
        snprintf(
            text, 160,
            " (in %.0f s on the clock it used %.1f s of processor time and waited %.1f s for a "
            "processor)",
            late->took_s, late->ran_s, late->waited_s);
    return text;
}

// The same step may be right on a faster machine, or on one with less to do.
static void end_by_machine(ladder_case_end *end, const char *text) {
    ladder_case_end_with(end, LADDER_UNGRADABLE, true, text);
    end->ours = true;
}

// An answer has not come in time. What sleeps for most of it is late on every machine; to wait for
// a processor is not to sleep.
static void explain_late(ladder_attempt *attempt, ladder_case_end *end) {
    const ladder_wait *late = &attempt->session.late;
    char text[320], spent[LADDER_MESSAGE];
    ladder_budget_state time = ladder_budget_spent(attempt->run->budget, spent, sizeof spent);
    if (time == LADDER_BUDGET_MACHINE) {
        end_by_machine(end, spent);
        return;
    }
    if (time == LADDER_BUDGET_USED) {
        ladder_case_end_with(end, LADDER_TIME_LIMIT, true, spent);
        return;
    }
    bool busy = !attempt->gpu && ladder_session_engine_busy(&attempt->session);
    bool slow = late->ran_s > ran_share * (late->took_s - late->waited_s) &&
                ladder_machine_too_slow(attempt->run->plan->slowness);
    snprintf(text, sizeof text, "%sno answer within %g s: %s",
             slow ? "not graded: this machine was too slow: " : "", late->limit_s,
             attempt->gpu ? "the step does not end"
             : busy       ? "a kernel was still running"
                          : "the host code does not end");
    if (slow) end_by_machine(end, text);
    else ladder_case_end_with(end, LADDER_TIME_LIMIT, true, text);
}

// Says how a runner that gave no answer ended.
static void explain_end(ladder_attempt *attempt, ladder_answer answer, ladder_case_end *end) {
    const ladder_process *runner = &attempt->session.program;
    char how[160], text[320], clock[160];
    if (answer == LADDER_STARVED) {
        snprintf(text, sizeof text, "no answer within %g s: the machine was too busy%s",
                 attempt->session.late.limit_s, clock_text(&attempt->session.late, clock));
        end_by_machine(end, text);
        return;
    }
    if (answer == LADDER_LATE) {
        explain_late(attempt, end);
        return;
    }
    snprintf(text, sizeof text, "the step %s", ladder_process_describe(runner, how, sizeof how));
    switch (runner->end) {
    case LADDER_END_OUT_OF_TIME: ladder_case_end_with(end, LADDER_TIME_LIMIT, true, text); break;
    case LADDER_END_TOO_MUCH_OUTPUT:
        ladder_case_end_with(end, LADDER_OUTPUT_LIMIT, true, text);
        break;
    case LADDER_END_TOO_MUCH_MEMORY:
        attempt->run->step_result->over_memory = true;
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

// What a call was stopped at is a ceiling of its case's work: where that leaves doubt whether the
// kernel would have ended, how many times the work expected it was.
static void explain_ceiling(const ladder_attempt *attempt, uint64_t executed,
                            const char text[KL_ERROR_TEXT], ladder_case_end *end) {
    char told[KL_ERROR_TEXT], both[2 * KL_ERROR_TEXT];
    bool at_ceiling = attempt->shape && (double)executed >= attempt->ceiling;
    bool endless = !at_ceiling || kl_instruction_ceiling_text(
                                      attempt->run->plan->lab->problem, attempt->run->step->step,
                                      attempt->shape, (double)executed, told, sizeof told);
    snprintf(both, sizeof both, "%s%s%s", endless ? "" : told, endless ? "" : "\n", text);
    ladder_case_end_with(end, LADDER_RUNAWAY, true, both);
}

// The engine's own account of a fault among the launches since end->first_launch. False when there
// was none.
static bool find_fault(ladder_attempt *attempt, ladder_case_end *end) {
    sim_engine *control = attempt->session.control;
    uint32_t count = 0;
    uint64_t executed = 0;
    if (!control || sim_launch_count(control, &count, NULL) != SIM_OK) return false;
    for (uint32_t i = end->first_launch; i < count; i++) {
        sim_launch_report *report = NULL;
        if (sim_launch_report_get(control, i, &report, NULL) != SIM_OK) return false;
        sim_status kind = report->fault.kind;
        char text[KL_ERROR_TEXT];
        executed += report->totals.value[SIM_COUNTER_INST];
        ladder_demangle_all(report->fault.text, text, sizeof text);
        sim_launch_report_free(report);
        if (kind == SIM_OK) continue;
        if (kind == SIM_RUNAWAY) explain_ceiling(attempt, executed, text, end);
        else ladder_case_end_with(end, LADDER_KERNEL_FAULT, true, text);
        return true;
    }
    return false;
}

void ladder_attempt_starved(const ladder_attempt *attempt, ladder_case_end *end) {
    char text[320];
    if (end->outcome != LADDER_UNGRADABLE ||
        !ladder_session_engine_starved(&attempt->session, text, sizeof text))
        return;
    ladder_case_end_with(end, LADDER_UNGRADABLE, true, text);
    end->ours = true;
}

bool ladder_attempt_engine_lost(ladder_attempt *attempt, ladder_case_end *end) {
    ladder_session *session = &attempt->session;
    if (!session->has_engine) return false;
    ladder_process *one[] = {&session->engine};
    uint32_t count;
    ladder_process_wait_readable(one, 1, -1, kl_now_s() + 1e-3);
    if (session->engine.end == LADDER_END_RUNNING && session->control &&
        sim_launch_count(session->control, &count, NULL) == SIM_OK)
        return false;
    if (session->engine_starved) return false;
    ladder_process_wait_readable(one, 1, -1, kl_now_s() + engine_end_s);
    if (session->engine.end == LADDER_END_RUNNING) return false;
    char how[160], text[600];
    if (session->engine.end == LADDER_END_TOO_MUCH_MEMORY) { // the device's memory is the step's
        session->engine.limits.memory_bytes = ladder_run_memory(attempt->run);
        snprintf(text, sizeof text, "the step %s",
                 ladder_process_describe(&session->engine, how, sizeof how));
        attempt->run->step_result->over_memory = true;
        ladder_case_end_with(end, LADDER_MEMORY_LIMIT, true, text);
        return true;
    }
    snprintf(text, sizeof text, "the simulator's engine %s: %.300s",
             ladder_process_describe(&session->engine, how, sizeof how), session->engine.output);
    ladder_case_end_with(end, LADDER_UNGRADABLE, true, text);
    return true;
}

// Takes in a reply or its absence. True when the runner did what was asked.
static bool accept_reply(ladder_attempt *attempt, ladder_answer answer,
                         const ladder_runner_reply *reply, ladder_case_end *end) {
    if (answer == LADDER_ANSWERED && reply->state == LADDER_RUNNER_OK) return true;
    if (answer == LADDER_LATE || answer == LADDER_STARVED) {
        explain_end(attempt, answer, end);
        return false;
    }
    if (ladder_attempt_engine_lost(attempt, end)) return false;
    if (find_fault(attempt, end)) return false;
    if (answer == LADDER_ENDED) {
        explain_end(attempt, answer, end);
        return false;
    }
    switch ((ladder_runner_state)reply->state) {
    case LADDER_RUNNER_NOT_IMPLEMENTED:
        ladder_case_end_with(end, LADDER_NOT_IMPLEMENTED, false,
                             ladder_outcome_word(LADDER_NOT_IMPLEMENTED));
        break;
    case LADDER_RUNNER_LOAD_ERROR:
        ladder_case_end_with(end, LADDER_NO_FUNCTION, true, reply->text);
        break;
    case LADDER_RUNNER_OVERRUN:
        ladder_case_end_with(end, LADDER_KERNEL_FAULT, true, reply->text);
        break;
    case LADDER_RUNNER_STEP_ERROR:
    case LADDER_RUNNER_CUDA_ERROR:
        ladder_case_end_with(end, LADDER_CUDA_ERROR, true, reply->text);
        break;
    default: ladder_case_end_with(end, LADDER_UNGRADABLE, true, reply->text); break;
    }
    return false;
}

// What the step slept while its answers were waited for goes to its budget. The answers of a case
// are one wait, of which the session tells the sum.
static void note_sleep(ladder_attempt *attempt) {
    const ladder_submission_run *run = attempt->run;
    const ladder_wait *late = &attempt->session.late;
    double unseen_s = 1; // before the first look
    double slept_s = late->took_s - unseen_s - late->ran_s - late->waited_s;
    if (!run->budget || slept_s <= attempt->slept_s) return;
    run->budget->slept_s[run->step - run->plan->lab->rubric->steps] += slept_s - attempt->slept_s;
    attempt->slept_s = slept_s;
}

bool ladder_attempt_ask(ladder_attempt *attempt, const ladder_runner_request *request,
                        const int *files, int count, ladder_case_end *end) {
    ladder_runner_reply reply;
    // The clock of the submission ends the wait, too, whatever is being done.
    const ladder_submission_run *run = attempt->run;
    double start_s = START_S * ladder_machine_factor(run->plan->slowness);
    double limit_s =
        fmin(!request ? start_s : run->plan->case_s, ladder_budget_left_s(run->budget));
    ladder_answer answer =
        ladder_session_ask(&attempt->session, request, files, count, limit_s, &reply);
    note_sleep(attempt);
    return accept_reply(attempt, answer, &reply, end);
}

// Steps that are programs have streams of their own.
static bool has_programs(const ladder_submission_run *run) {
    const ladder_cases *cases = run->plan->cases;
    for (int i = 0; i < cases->count; i++)
        if (cases->items[i].data.shape.program) return true;
    return false;
}

bool ladder_attempt_open(ladder_attempt *attempt, ladder_case_end *end) {
    const ladder_submission_run *run = attempt->run;
    const ladder_grade_plan *plan = run->plan;
    kl_error err = {KL_OK, ""};
    const ladder_engine_options engine = {.mode = attempt->checking ? "check" : NULL,
                                          .order = attempt->order,
                                          .judged = !attempt->checking,
                                          .uncached = attempt->uncached,
                                          .instructions = plan->instructions,
                                          .most_elements = (uint64_t)plan->lab->problem->max_size,
                                          .devices = plan->lab->problem->devices,
                                          .threads = plan->threads,
                                          .answer_s = plan->case_s,
                                          .memory_bytes = plan->memory_bytes,
                                          .together_bytes = ladder_run_memory(run),
                                          .sandboxed = true};
    const ladder_runner_spec runner = {.kit = plan->kit,
                                       .lab = plan->lab->folder,
                                       .step = run->step->step,
                                       .object = run->object,
                                       .folder = run->step_folder,
                                       .devices = plan->lab->problem->devices,
                                       .tells_order = attempt->checking && has_programs(run),
                                       .limits = ladder_runner_limits(run, attempt->gpu)};
    if (attempt->gpu) ladder_card_take(plan->card_folder, false, &attempt->card);
    attempt->open = true;
    if (ladder_session_open(&attempt->session, attempt->gpu ? NULL : &engine, &runner, &err) !=
        KL_OK) {
        ladder_case_end_with(end, LADDER_UNGRADABLE, true, err.text);
        end->ours = true;
        return false;
    }
    return ladder_attempt_ask(attempt, NULL, NULL, 0, end);
}

void ladder_attempt_close(ladder_attempt *attempt) {
    free(attempt->outputs);
    attempt->outputs = NULL;
    if (!attempt->open) return;
    ladder_session_end_program(&attempt->session);
    const ladder_process *runner = &attempt->session.program;
    if (attempt->session.has_program) {
        ladder_step_result *result = attempt->run->step_result;
        result->run_s += runner->wall_s;
        bool printed = attempt->printed_bytes > 0; // by kernels: nearer to what matters here
        if (result->log[0] == '\0')
            ladder_result_log(result, printed ? attempt->printed : runner->output,
                              printed ? attempt->printed_bytes : runner->output_bytes);
    }
    free(attempt->printed);
    attempt->printed = NULL;
    attempt->printed_bytes = 0;
    ladder_session_close(&attempt->session);
    ladder_card_give(&attempt->card);
    attempt->open = false;
}

// ---- card ---------------------------------------------------------------------------------------
// Who uses the GPU: see judge.h.

// A waiting lock would give no sign of life.
static void wait_for(ladder_card *card, int fd, int operation) {
    double start = kl_now_s();
    while (fd > 0 && flock(fd, operation | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        ladder_process_rest();
    card->waited_s += kl_now_s() - start;
}

static int open_lock(const char *folder, const char *name) {
    char path[LADDER_PATH];
    if (ladder_path(path, NULL, "%s/%s", folder, name) != KL_OK) return 0;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    return fd > 0 ? fd : 0;
}

void ladder_card_take(const char *folder, bool timing, ladder_card *out_card) {
    *out_card = (ladder_card){.use_fd = 0};
    if (!folder) return;
    if (timing) {
        out_card->timing_fd = open_lock(folder, "timing.lock");
        wait_for(out_card, out_card->timing_fd, LOCK_EX);
    }
    out_card->use_fd = open_lock(folder, "card.lock");
    wait_for(out_card, out_card->use_fd, LOCK_SH);
}

void ladder_card_alone(ladder_card *card) {
    if (card->alone_from_s > 0) return;
    wait_for(card, card->use_fd, LOCK_EX);
    card->alone_from_s = kl_now_s();
}

void ladder_card_share(ladder_card *card) {
    if (!(card->alone_from_s > 0)) return;
    card->alone_s += kl_now_s() - card->alone_from_s;
    card->alone_from_s = 0;
    wait_for(card, card->use_fd, LOCK_SH);
}

void ladder_card_give(ladder_card *card) {
    if (card->alone_from_s > 0) card->alone_s += kl_now_s() - card->alone_from_s;
    card->alone_from_s = 0;
    if (card->use_fd > 0) close(card->use_fd);
    if (card->timing_fd > 0) close(card->timing_fd);
    card->use_fd = card->timing_fd = 0;
}
