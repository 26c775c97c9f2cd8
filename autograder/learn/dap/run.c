// The program's run: its start and end, going on in either direction, and why it stops.
#include "learn/dap/internal.h"
#include "utilities/finding.h"

// ---- Beginning ----------------------------------------------------------------------------------

// What the editor may rely on.
kl_status dap_on_initialize(dap_server *s, const json_t *arguments, kl_json *body, kl_error *err) {
    static const char *const can[] = {"supportsConfigurationDoneRequest",
                                      "supportsFunctionBreakpoints",
                                      "supportsConditionalBreakpoints",
                                      "supportsHitConditionalBreakpoints",
                                      "supportsLogPoints",
                                      "supportsEvaluateForHovers",
                                      "supportsStepBack",
                                      "supportsRestartRequest",
                                      "supportsExceptionInfoRequest",
                                      "supportsValueFormattingOptions",
                                      "supportTerminateDebuggee",
                                      "supportsTerminateRequest",
                                      "supportsDataBreakpoints",
                                      "supportsSteppingGranularity",
                                      "supportsDelayedStackTraceLoading",
                                      "supportsClipboardContext"};
    static const struct {
        const char *filter, *label, *description;
    } filters[] = {{"faults", "Faults", "an illegal address, say: the launch ends when it goes on"},
                   {"findings", "Findings of the checks", "races, accesses out of bounds, ..."}};
    (void)err;
    s->from_zero = !dap_flag(arguments, "linesStartAt1", true);
    for (size_t i = 0; i < sizeof can / sizeof *can; i++) kl_json_bool(body, can[i], true);
    kl_json_list(body, "exceptionBreakpointFilters");
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        kl_json_put(body, "(filter %s label %s description %s default %hhd)", filters[i].filter,
                    filters[i].label, filters[i].description, true);
    }
    kl_json_end(body);
    return KL_OK;
}

static kl_status start(dap_server *s, kl_error *err) {
    if (!s->launched || !s->configured) return KL_OK;
    s->started = true;
    s->any_kernel = false;
    TRY(dap_streams_open(s, err));
    kl_status status = debug_launch_program(&s->t, err);
    dap_streams_started(s);
    s->t.stop_at_launch = true; // to find places of breakpoints
    return status;
}

static kl_status start_or_end(dap_server *s, kl_error *err) {
    kl_status status = start(s, err);
    if (status == KL_OK) return status;
    dap_output(s, "stderr", err->text);
    dap_output(s, "stderr", "\n");
    dap_event(s, "terminated");
    s->ended = true;
    return status;
}

kl_status dap_on_configuration_done(dap_server *s, const json_t *arguments, kl_json *body,
                                    kl_error *err) {
    (void)arguments;
    (void)body;
    (void)err;
    s->configured = true;
    if (!s->started) s->after = start_or_end;
    return KL_OK;
}

static kl_status read_arguments(const json_t *given, ladder_dap_launch *out, kl_error *err) {
    const json_t *list = json_object_get(given, "args"), *item;
    size_t i;
    *out = (ladder_dap_launch){.lab = dap_text(given, "lab", NULL),
                               .step = dap_text(given, "step", NULL),
                               .size = dap_text(given, "size", NULL),
                               .family = dap_text(given, "case", NULL),
                               .solution = dap_flag(given, "solution", false),
                               .optimised = dap_flag(given, "optimised", false),
                               .program = dap_text(given, "program", NULL)};
    static char number[24];
    if (json_is_number(json_object_get(given, "step"))) {
        snprintf(number, sizeof number, "%" PRIu64, dap_uint(given, "step", UINT64_MAX));
        out->step = number;
    }
    json_array_foreach(list, i, item) {
        if (!json_is_string(item) || out->argument_count == LADDER_DAP_ARGUMENTS)
            return kl_fail(err, KL_ERROR_INPUT, "`args` is a list of at most %d texts.",
                           LADDER_DAP_ARGUMENTS);
        out->arguments[out->argument_count++] = json_string_value(item);
    }
    return KL_OK;
}

static kl_status take_folder(const json_t *given, kl_error *err) {
    const char *folder = dap_text(given, "cwd", NULL);
    json_t *environment = json_object_get(given, "env"), *value;
    const char *name;
    json_object_foreach(environment, name, value) if (json_is_string(value))
        setenv(name, json_string_value(value), 1);
    if (!folder || chdir(folder) == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "cwd %s: %s", folder, strerror(errno));
}

// Builds; what the compiler prints goes to the editor.
static kl_status prepare(dap_server *s, const json_t *given, kl_error *err) {
    ladder_dap_launch launch;
    TRY(read_arguments(given, &launch, err));
    TRY(take_folder(given, err));
    s->t.check = dap_flag(given, "check", s->options->check);
    s->stop_on_entry = dap_flag(given, "stopOnEntry", false);
    kl_status status = s->options->prepare(s->options->context, &launch, &s->t.argv, err);
    dap_show_notes(s);
    return status;
}

kl_status dap_on_launch(dap_server *s, const json_t *arguments, kl_json *body, kl_error *err) {
    (void)body;
    if (s->launched) return kl_fail(err, KL_ERROR_INPUT, "The program was launched already.");
    TRY(prepare(s, arguments, err));
    s->launched = true;
    s->after = start_or_end;
    return KL_OK;
}

kl_status dap_on_attach(dap_server *s, const json_t *arguments, kl_json *body, kl_error *err) {
    (void)s;
    (void)arguments;
    (void)body;
    return kl_fail(err, KL_ERROR_INPUT,
                   "There is nothing to attach to: the debugger starts the program (`launch`).");
}

kl_status dap_on_restart(dap_server *s, const json_t *arguments, kl_json *body, kl_error *err) {
    const json_t *given = json_object_get(arguments, "arguments");
    (void)body;
    if (!s->launched) return kl_fail(err, KL_ERROR_INPUT, "Nothing was launched yet.");
    debug_end(&s->t);
    dap_handles_clear(s);
    if (json_is_object(given)) TRY(prepare(s, given, err));
    s->ended = false;
    s->after = start_or_end;
    return KL_OK;
}

// ---- The end ------------------------------------------------------------------------------------

void dap_on_end(dap_server *s) {
    const ladder_process *program = &s->t.session.program;
    char text[160], how[128];
    dap_message m;
    dap_streams_read(s);
    int code = program->end == LADDER_END_EXITED ? program->code : 1;
    if (program->end != LADDER_END_EXITED) {
        snprintf(text, sizeof text, "The program %s.\n",
                 ladder_process_describe(program, how, sizeof how));
        dap_output(s, "stderr", text);
    }
    if (!s->any_kernel)
        dap_output(s, "console", "The program launched no kernel: there was nowhere to stop.\n");
    debug_end(&s->t);
    dap_streams_close(s);
    dap_handles_clear(s);
    if (s->ended) return;
    s->ended = true;
    if (dap_event_begin(&m, "exited")) {
        kl_json_int(&m.json, "exitCode", code);
        dap_event_send(s, &m);
    }
    dap_event(s, "terminated");
}

static kl_status end_program(dap_server *s, kl_error *err) {
    (void)err;
    if (s->t.running) dap_streams_read(s);
    debug_end(&s->t);
    dap_streams_close(s);
    if (!s->ended) dap_event(s, "terminated");
    s->ended = true;
    return KL_OK;
}

kl_status dap_on_terminate(dap_server *s, const json_t *arguments, kl_json *body, kl_error *err) {
    (void)arguments;
    (void)body;
    (void)err;
    s->after = end_program;
    return KL_OK;
}

kl_status dap_on_disconnect(dap_server *s, const json_t *arguments, kl_json *body, kl_error *err) {
    (void)arguments;
    (void)body;
    (void)err;
    debug_end(&s->t);
    s->ends = true;
    return KL_OK;
}

// ---- Going on -----------------------------------------------------------------------------------

static kl_status dap_go(dap_server *s, sim_debug_way way, sim_debug_step step, kl_error *err) {
    s->way = way;
    s->step = step;
    s->stepper = s->t.focus;
    dap_handles_clear(s);
    return debug_go(&s->t, way, step, 0, err);
}

static kl_status go_with(dap_server *s, const json_t *arguments, kl_json *body, sim_debug_way way,
                         sim_debug_step step, kl_error *err) {
    bool instruction = strcmp(dap_text(arguments, "granularity", "line"), "instruction") == 0;
    TRY(dap_thread_find(s, arguments, &s->t.focus, err));
    if (instruction && step == SIM_DEBUG_LINE) step = SIM_DEBUG_INSTRUCTION;
    if (instruction && step == SIM_DEBUG_LINE_OVER) step = SIM_DEBUG_INSTRUCTION_OVER;
    if (step == SIM_DEBUG_CONTINUE) kl_json_bool(body, "allThreadsContinued", true);
    return dap_go(s, way, step, err);
}

#define GO(identifier, way, step)                                                                  \
    kl_status dap_on_##identifier(dap_server *s, const json_t *arguments, kl_json *body,           \
                                  kl_error *err) {                                                 \
        return go_with(s, arguments, body, SIM_DEBUG_##way, SIM_DEBUG_##step, err);                \
    }
GO(continue, FORWARDS, CONTINUE)
GO(next, FORWARDS, LINE_OVER)
GO(step_in, FORWARDS, LINE)
GO(step_back, BACKWARDS, LINE_OVER)
GO(reverse_continue, BACKWARDS, CONTINUE)

// Of a kernel itself there is no way out but its end.
kl_status dap_on_step_out(dap_server *s, const json_t *arguments, kl_json *body, kl_error *err) {
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    uint32_t count;
    TRY(dap_thread_find(s, arguments, &s->t.focus, err));
    if (!debug_frames(&s->t, frames, &count, err)) return KL_ERROR_INPUT;
    return go_with(s, arguments, body, SIM_DEBUG_FORWARDS,
                   count > 1 ? SIM_DEBUG_OUT : SIM_DEBUG_CONTINUE, err);
}

kl_status dap_on_pause(dap_server *s, const json_t *arguments, kl_json *body, kl_error *err) {
    (void)arguments;
    (void)body;
    if (!s->t.running) return kl_fail(err, KL_ERROR_INPUT, "The program is not being run.");
    if (s->t.client.stopped) return KL_OK;
    s->pausing = true; // at the next launch, where no kernel runs now
    sim_debug_ask_to_stop(&s->t.client);
    return KL_OK;
}

// ---- Stops --------------------------------------------------------------------------------------

static char *finding_text(const sim_finding *finding) {
    const kl_style style = {.width = 80, .utf8 = true};
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (!file) return NULL;
    ladder_finding_print(finding, NULL, &style, file);
    fclose(file);
    return text;
}

static void show_watched(dap_server *s) {
    dap_show_notes(s);
    debug_show_watchpoint(&s->t);
    dap_show_notes(s);
}

static void tell_stop(dap_server *s) {
    const sim_debug_stop *stop = &s->t.client.stop;
    const debug_row *row = debug_row_of(&s->t, stop->point);
    bool function = row && row->point.kind == SIM_DEBUG_AT_FUNCTION;
    char text[DEBUG_EXPRESSION + 32];
    switch (stop->reason) {
    case SIM_DEBUG_BREAKPOINT:
        if (s->entry && stop->point == s->entry) dap_tell_stop(s, "entry", "The kernel begins");
        else dap_tell_stop(s, function ? "function breakpoint" : "breakpoint", "Breakpoint");
        break;
    case SIM_DEBUG_WATCHPOINT:
        snprintf(text, sizeof text, "Write of %s", row ? row->what : "memory");
        show_watched(s);
        dap_tell_stop(s, "data breakpoint", text);
        break;
    case SIM_DEBUG_FAULT: dap_tell_stop(s, "exception", "Fault"); break;
    case SIM_DEBUG_FINDING:
        snprintf(text, sizeof text, "Finding: %s", sim_check_name(stop->finding.kind));
        dap_tell_stop(s, "exception", text);
        break;
    case SIM_DEBUG_INTERRUPT: dap_tell_stop(s, "pause", "Paused"); break;
    case SIM_DEBUG_BEGINNING:
        dap_output(s, "console",
                   "This is the beginning of the launch: host code and what it did "
                   "before are not rewound.\n");
        dap_tell_stop(s, "step", "Beginning of the launch");
        break;
    default: dap_tell_stop(s, "step", "Step"); break;
    }
}

// A breakpoint at the kernel's beginning, once.
static void stop_at_entry(dap_server *s) {
    debug_row *row;
    kl_error ignored;
    if (debug_new_row(&s->t, &row, &ignored) != KL_OK) return;
    row->point.kind = SIM_DEBUG_AT_FUNCTION;
    row->once = true;
    snprintf(row->point.name, sizeof row->point.name, "%s", s->t.client.stop.kernel);
    row->point.number = s->entry = ++s->t.next_number;
    s->stop_on_entry = s->pausing = false;
}

// Whether the launch goes on without a word to the user.
static bool goes_on(dap_server *s) {
    const sim_debug_stop *stop = &s->t.client.stop;
    if (stop->reason == SIM_DEBUG_LAUNCH) {
        s->any_kernel = true;
        dap_place_all(s);
        if (s->stop_on_entry || s->pausing) stop_at_entry(s);
        s->t.stop_at_launch = true;
        s->way = SIM_DEBUG_FORWARDS;
        s->step = SIM_DEBUG_CONTINUE;
        s->refreshing = false;
        return true;
    }
    if (stop->reason == SIM_DEBUG_INTERRUPT && s->refreshing && !s->pausing) {
        dap_place_all(s);
        s->t.focus = s->stepper;
        s->refreshing = false;
        return true;
    }
    if (stop->reason == SIM_DEBUG_FINDING) return !s->stops_at_findings;
    return stop->reason == SIM_DEBUG_FAULT && !s->stops_at_faults;
}

void dap_take_stop(dap_server *s) {
    bool shown;
    kl_error err = {KL_OK, ""};
    kl_status status = debug_take_stop(&s->t, &shown, &err);
    if (status == KL_OK && shown && goes_on(s)) {
        status = dap_go(s, s->way, s->step, &err);
        shown = false;
    }
    dap_show_notes(s);
    dap_streams_read(s); // what was printed before comes before
    if (status != KL_OK) {
        dap_output(s, "stderr", err.text);
        dap_output(s, "stderr", "\n");
        end_program(s, &err);
    } else if (shown) {
        s->pausing = s->refreshing = false;
        dap_handles_clear(s);
        tell_stop(s);
        debug_show_displays(&s->t);
        dap_show_notes(s);
    }
}

// ---- exceptionInfo ------------------------------------------------------------------------------

// One of the threads that a finding is about.
static void put_side(dap_server *s, kl_json *body, const sim_finding *finding, int number) {
    static const char *const actions[] = {"", "read", "write", "atomic access"};
    const sim_check_side *side = &finding->sides[number];
    char text[1024];
    (void)s;
    if (side->action == SIM_ACTION_NONE) return;
    snprintf(text, sizeof text, "%s at %s:%u by thread %s of block %s", actions[side->action],
             side->file, side->line, debug_dim_text(side->thread), debug_dim_text(side->block));
    kl_json_put(body, "(message %s typeName %s", text, actions[side->action]);
    snprintf(text, sizeof text, "at thread %s of block %s (%s:%u)", debug_dim_text(side->thread),
             debug_dim_text(side->block), side->file, side->line);
    kl_json_put(body, "stackTrace %s)", text);
}

static void put_finding(dap_server *s, kl_json *body, const sim_finding *finding) {
    char *text = finding_text(finding);
    kl_json_put(body,
                "exceptionId %s description %s breakMode always details (message %s "
                "typeName %s innerException <",
                sim_check_name(finding->kind), text ? text : sim_check_meaning(finding->kind),
                sim_check_meaning(finding->kind), sim_check_name(finding->kind));
    for (int i = 0; i < 2; i++) put_side(s, body, finding, i);
    kl_json_put(body, ">)");
    free(text);
}

kl_status dap_on_exception_info(dap_server *s, const json_t *arguments, kl_json *body,
                                kl_error *err) {
    const sim_debug_stop *stop = &s->t.client.stop;
    (void)arguments;
    if (stop->reason == SIM_DEBUG_FINDING) {
        put_finding(s, body, &stop->finding);
        return KL_OK;
    }
    if (stop->reason != SIM_DEBUG_FAULT)
        return kl_fail(err, KL_ERROR_INPUT, "The kernel did not stop at a fault or a finding.");
    const char *name = debug_fault_name(stop);
    if (!name) name = "fault";
    kl_json_put(body,
                "exceptionId %s description %s breakMode always details (message %s "
                "typeName %s)",
                name, stop->text, stop->text, name);
    return KL_OK;
}
