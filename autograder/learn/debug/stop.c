// The program's run: launches that begin, stops that are shown, the end.
#include "learn/debug/debug.h"
#include "utilities/finding.h"
#include "utilities/text.h"
#include <signal.h>
#include <sys/socket.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    (void)number;
    interrupted = 1;
}

void debug_catch_interrupt(void) {
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
}

// ---- Starting and ending ------------------------------------------------------------------------

static kl_status start_processes(debug_terminal *t, int engine_end, kl_error *err) {
    const ladder_engine_options options = {
        .answer_s = 60, .mode = t->check ? "check" : "functional", .debug_fd = engine_end};
    TRY(ladder_session_start_engine(&t->session, t->kit, &options, err));
    return ladder_session_start_program(&t->session, t->kit, t->argv, true, err);
}

kl_status debug_launch_program(debug_terminal *t, kl_error *err) {
    int pair[2];
    debug_end(t);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "no socket pair: %s", strerror(errno));
    fflush(stdout);
    kl_status status = start_processes(t, pair[1], err);
    close(pair[1]);
    t->client = (sim_debug_client){.descriptor = pair[0]};
    t->running = true;
    t->entered = false;
    for (uint32_t i = 0; i < SIM_DEBUG_POINTS; i++) t->rows[i].hits = 0;
    if (status != KL_OK) debug_end(t);
    return status;
}

static kl_status wait_for_stop(debug_terminal *t, kl_error *err);

kl_status debug_start(debug_terminal *t, kl_error *err) {
    interrupted = 0; // at the prompt
    TRY(debug_launch_program(t, err));
    return wait_for_stop(t, err);
}

void debug_end(debug_terminal *t) {
    if (!t->running) return;
    ladder_session_end_program(&t->session); // before it sees the engine go
    close(t->client.descriptor);
    t->client.stopped = false;
    ladder_session_close(&t->session);
    t->running = false;
}

static void say_unplaced(const debug_terminal *t) {
    for (uint32_t i = 0; i < SIM_DEBUG_POINTS; i++) {
        const debug_row *row = &t->rows[i];
        bool line = row->point.kind == SIM_DEBUG_AT_LINE;
        if (row->point.number == 0 || row->placed || debug_watch_name(row)) continue;
        printf("Breakpoint %u (%s): no kernel that was launched has %s.\n", row->point.number,
               row->what, line ? "code at this line or behind it" : "this name");
    }
}

static void say_end(debug_terminal *t) {
    const ladder_process *program = &t->session.program;
    char text[128];
    if (program->end == LADDER_END_EXITED && program->code == 0)
        printf("[The program exited normally]\n");
    else if (program->end == LADDER_END_EXITED)
        printf("[The program exited with status %d]\n", program->code);
    else printf("[The program %s]\n", ladder_process_describe(program, text, sizeof text));
    say_unplaced(t);
}

// ---- Stops --------------------------------------------------------------------------------------

// Hands all breakpoints to the launch that is stopped.
static sim_status debug_send_points(debug_terminal *t, kl_error *err) {
    sim_debug_point points[SIM_DEBUG_POINTS];
    sim_debug_place place;
    kl_error ignored;
    uint32_t count = 0;
    for (uint32_t i = 0; i < SIM_DEBUG_POINTS; i++) {
        debug_row *row = &t->rows[i];
        if (row->point.number == 0) continue;
        if (!debug_watch_name(row))
            row->placed |= sim_debug_resolve(&t->client, &row->point, &place, &ignored) == SIM_OK;
        if (!row->enabled) continue;
        row->point.asks = row->condition[0] != '\0' || row->decided;
        points[count++] = row->point;
    }
    return sim_debug_set_points(&t->client, points, count, err);
}

const char *debug_fault_name(const sim_debug_stop *stop) {
    static const struct {
        sim_status kind;
        const char *name;
    } names[] = {{SIM_ILLEGAL_ADDRESS, "CUDA_EXCEPTION_14, Warp Illegal Address"},
                 {SIM_MISALIGNED_ADDRESS, "CUDA_EXCEPTION_6, Warp Misaligned Address"},
                 {SIM_ILLEGAL_INSTRUCTION, "CUDA_EXCEPTION_4, Warp Illegal Instruction"},
                 {SIM_ASSERT, "CUDA_EXCEPTION_12, Warp Assert"},
                 {SIM_STACK_OVERFLOW, "CUDA_EXCEPTION_2, Lane User Stack Overflow"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].kind == (sim_status)stop->point) return names[i].name;
    return NULL;
}

static void show_fault(const debug_terminal *t) {
    const sim_debug_stop *stop = &t->client.stop;
    const char *name = debug_fault_name(stop);
    char folder[LADDER_PATH], text[sizeof stop->text];
    printf("\n%s%s\n", name ? "Received signal " : "The launch has stopped", name ? name : "");
    snprintf(text, sizeof text, "%s", stop->text);
    if (getcwd(folder, sizeof folder - 1)) ladder_remove_text(text, strcat(folder, "/"));
    kl_print_lines(stdout, &t->style, 2, text);
}

static void show_watched(const char *name, const uint8_t *value, uint32_t bytes, bool is_float) {
    uint64_t word = 0;
    float single;
    double real;
    memcpy(&word, value, bytes < 8 ? bytes : 8);
    memcpy(&single, value, sizeof single);
    memcpy(&real, value, sizeof real);
    printf("%s = ", name);
    if (bytes == 4 && word == DEBUG_NEVER_WRITTEN) puts("never written");
    else if (is_float && bytes >= 4) printf("%.9g\n", bytes == 8 ? real : (double)single);
    else if (bytes <= 4)
        printf("%d (0x%llx)\n", (int)((int64_t)(word << (64 - 8 * bytes)) >> (64 - 8 * bytes)),
               (unsigned long long)word);
    else printf("%lld (0x%llx)\n", (long long)word, (unsigned long long)word);
}

void debug_show_watchpoint(debug_terminal *t) {
    const sim_debug_stop *stop = &t->client.stop;
    const debug_row *row = debug_row_of(t, stop->point);
    if (!row) return;
    printf("\n%s %u: %s\n\n", debug_watch_name(row), stop->point, row->what);
    if (stop->read && !stop->wrote) {
        show_watched("Value", stop->new_value, row->point.bytes, row->is_float);
        return;
    }
    show_watched("Old value", stop->old_value, row->point.bytes, row->is_float);
    show_watched("New value", stop->new_value, row->point.bytes, row->is_float);
    if (!stop->wrote) puts("It was written asynchronously, or as one of several results.");
}

static void show_reason(debug_terminal *t) {
    const sim_debug_stop *stop = &t->client.stop;
    const debug_row *row = debug_row_of(t, stop->point);
    switch (stop->reason) {
    case SIM_DEBUG_LAUNCH: printf("\nThe launch is about to begin.\n"); break;
    case SIM_DEBUG_BREAKPOINT:
        printf("\n%s %u, ", row && row->once ? "Temporary breakpoint" : "Breakpoint", stop->point);
        break;
    case SIM_DEBUG_WATCHPOINT: debug_show_watchpoint(t); break;
    case SIM_DEBUG_FAULT: show_fault(t); break;
    case SIM_DEBUG_FINDING:
        putchar('\n');
        ladder_finding_print(&stop->finding, NULL, &t->style, stdout);
        break;
    case SIM_DEBUG_INTERRUPT: printf("\nInterrupted.\n"); break;
    case SIM_DEBUG_BEGINNING:
        printf("\nThis is the beginning of the launch: host code and what it did before are not\n"
               "rewound. `run` starts the program again.\n");
        break;
    default: break;
    }
}

void debug_show_display(debug_terminal *t, const debug_display *display) {
    sim_variables_value value;
    kl_error err;
    const sim_variables_format format = {.letter = display->format};
    sim_status status =
        debug_evaluate(t, t->focus.lane, display->expression, &format, &value, &err);
    printf("%u: ", display->number);
    if (display->format) printf("/%c ", display->format);
    printf("%s = %s\n", display->expression, status == SIM_OK ? value.text : err.text);
    if (status == SIM_OK) sim_variables_value_free(&value);
}

void debug_show_displays(debug_terminal *t) {
    for (uint32_t i = 0; i < DEBUG_DISPLAYS; i++)
        if (t->displays[i].number) debug_show_display(t, &t->displays[i]);
}

// Takes over the thread that stopped.
static void take_focus(debug_terminal *t) {
    t->focus = t->client.stop.thread;
    t->launch = t->client.stop.launch;
    t->frame = 0;
    debug_forget(t);
}

// Likewise, and shows where it is.
static void show_stop(debug_terminal *t) {
    const sim_debug_stop *stop = &t->client.stop;
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    uint32_t count;
    kl_error err;
    const sim_debug_thread old = t->focus;
    bool moved = !t->entered || stop->launch != t->launch || old.block != stop->thread.block ||
                 old.warp != stop->thread.warp || old.lane != stop->thread.lane;
    take_focus(t);
    if (stop->reason != SIM_DEBUG_LAUNCH && moved) debug_say_focus(t);
    show_reason(t);
    t->entered = stop->reason != SIM_DEBUG_LAUNCH;
    if (!t->entered) return;
    if (!debug_frames(t, frames, &count, &err)) {
        printf("%s\n", err.text);
        return;
    }
    bool stepped =
        stop->reason == SIM_DEBUG_STEPPED && !moved && strcmp(t->function, frames[0].kernel) == 0;
    if (!stepped) debug_show_function(t, &frames[0], count == 1);
    snprintf(t->function, sizeof t->function, "%s", frames[0].kernel);
    debug_show_line(t, &frames[0]);
    debug_show_displays(t);
}

// ---- Waiting ------------------------------------------------------------------------------------

// Whether a breakpoint's condition holds for one of the warp's lanes; the focus goes to the first.
static bool condition_holds(debug_terminal *t, const debug_row *row) {
    static const char no_value[] = "It has no value"; // of a variable that is not set yet
    sim_debug_stop *stop = &t->client.stop;
    sim_debug_lane lanes[SIM_DEBUG_LANES];
    const sim_debug_thread old = t->focus;
    sim_variables_value value;
    kl_error err;
    bool holds = false;
    debug_forget(t);
    t->frame = 0;
    t->focus = stop->thread;
    if (sim_debug_lanes(&t->client, &stop->thread, lanes, &err) != SIM_OK) return true;
    for (uint32_t i = 0; i < SIM_DEBUG_LANES && !holds; i++) {
        if (lanes[i].state != SIM_DEBUG_ACTIVE) continue;
        if (debug_evaluate(t, i, row->condition, NULL, &value, &err) != SIM_OK) {
            if (strncmp(err.text, no_value, strlen(no_value)) == 0) continue;
            printf("Error in testing condition for breakpoint %u:\n%s\n", row->point.number,
                   err.text);
            holds = true;
            break;
        }
        holds = value.is_number && (value.is_float ? value.real != 0 : value.number != 0);
        if (holds) stop->thread.lane = i;
        sim_variables_value_free(&value);
    }
    t->focus = old;
    return holds;
}

static bool editor_decides(debug_terminal *t, debug_row *row) {
    const sim_debug_thread old = t->focus;
    debug_forget(t);
    t->focus = t->client.stop.thread;
    t->frame = 0;
    bool stops = t->decide(t, row);
    t->focus = old;
    return stops;
}

static kl_status go_on(debug_terminal *t, sim_debug_way way, bool counts, kl_error *err) {
    const sim_debug_plan plan = {.way = way, .thread = t->focus, .counts = counts};
    if (sim_debug_go(&t->client, &plan, err) == SIM_OK) return KL_OK;
    return kl_fail_from(err, KL_ERROR_SYSTEM, "the simulator does not answer");
}

kl_status debug_take_stop(debug_terminal *t, bool *out_shown, kl_error *err) {
    const sim_debug_stop *stop = &t->client.stop;
    *out_shown = false;
    if (sim_debug_wait(&t->client, err) != SIM_OK)
        return kl_fail(err, KL_ERROR_SYSTEM, "The simulator's engine has ended: %s",
                       t->session.engine.output ? t->session.engine.output : "");
    if (stop->reason == SIM_DEBUG_END) {
        char name[SIM_DEBUG_NAME];
        debug_kernel_text(t, stop->kernel, false, name, sizeof name);
        printf("[The launch of %s has ended; the program goes on]\n", name);
        return KL_OK;
    }
    debug_row *row = debug_row_of(t, stop->point);
    bool of_row = stop->reason == SIM_DEBUG_BREAKPOINT || stop->reason == SIM_DEBUG_WATCHPOINT;
    if (of_row && row && (row->condition[0] || row->decided)) {
        bool asks = stop->asks, holds = !row->condition[0] || condition_holds(t, row);
        if (holds && row->decided) holds = editor_decides(t, row);
        if (asks || !holds) return go_on(t, SIM_DEBUG_AS_WAS, holds, err);
    }
    if (stop->reason == SIM_DEBUG_LAUNCH) {
        debug_forget(t);
        if (debug_send_points(t, err) != SIM_OK)
            return kl_fail_from(err, KL_ERROR_SYSTEM, "the simulator does not answer");
        if (!t->stop_at_launch) return go_on(t, SIM_DEBUG_FORWARDS, false, err);
        t->stop_at_launch = false;
    }
    *out_shown = true;
    if (t->is_remote) take_focus(t);
    else show_stop(t);
    if (of_row && row) {
        row->hits++;
        if (row->once) row->point.number = 0;
    }
    return KL_OK;
}

static kl_status wait_for_stop(debug_terminal *t, kl_error *err) {
    static const double look_s = 0.1, patience_s = 1;
    ladder_process *both[] = {&t->session.program, &t->session.engine};
    bool shown = false;
    double asked_s = 0;
    fflush(stdout);
    while (!shown) {
        if (asked_s > 0 && kl_now_s() > asked_s + patience_s) {
            puts("\nNo kernel runs: the program stops at its next launch. Ctrl-C again ends it.");
            fflush(stdout);
            asked_s = 0;
        }
        bool arrived =
            ladder_process_wait_readable(both, 2, t->client.descriptor, kl_now_s() + look_s);
        if (arrived) {
            kl_status status = debug_take_stop(t, &shown, err);
            if (status == KL_OK) continue;
            debug_end(t);
            return status;
        }
        if (t->session.program.end != LADDER_END_RUNNING) {
            say_end(t);
            debug_end(t);
            return KL_OK;
        }
        if (!interrupted) continue;
        interrupted = 0;
        if (t->stop_at_launch) { // it did not help the first time
            debug_end(t);
            puts("\n[The program was ended]");
            return KL_OK;
        }
        t->stop_at_launch = true; // where no kernel runs now
        sim_debug_ask_to_stop(&t->client);
        asked_s = kl_now_s();
    }
    t->stop_at_launch = false;
    return KL_OK;
}

// Steps over calls go over inlined functions, too; and one leads out of an inlined function that
// has no call.
static void plan_for_inlined(debug_terminal *t, sim_debug_plan *plan) {
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    sim_variables_frame inlined[SIM_VARIABLES_MAX_FRAMES];
    sim_variables_range ranges[SIM_DEBUG_SKIPS];
    uint32_t count;
    kl_error ignored;
    if (!t->variables || !debug_frames(t, frames, &count, &ignored)) return;
    const sim_debug_place *here = &frames[0];
    if (plan->step == SIM_DEBUG_OUT && count > 1 && frames[1].call == here->call) {
        sim_variables_frames(t->variables, here->ptx_line, inlined);
        const sim_variables_frame *left = &inlined[here->inlined];
        plan->step = SIM_DEBUG_INSTRUCTION_OVER;
        plan->skip_count = 1;
        ranges[0] = (sim_variables_range){left->first, left->end};
    } else if (plan->step == SIM_DEBUG_LINE_OVER || plan->step == SIM_DEBUG_UNTIL) {
        plan->skip_count =
            sim_variables_inlined_beside(t->variables, here->ptx_line, ranges, SIM_DEBUG_SKIPS);
    }
    for (uint32_t i = 0; i < plan->skip_count; i++) {
        plan->skips[i].first = ranges[i].first;
        plan->skips[i].end = ranges[i].end;
    }
}

kl_status debug_go(debug_terminal *t, sim_debug_way way, sim_debug_step step, uint64_t time,
                   kl_error *err) {
    sim_debug_plan plan = {.way = way, .step = step, .thread = t->focus, .time = time};
    interrupted = 0;
    if (!debug_is_stopped(t, err)) return KL_ERROR_INPUT;
    plan_for_inlined(t, &plan);
    fflush(stdout); // before what the program says when it goes on
    if (debug_send_points(t, err) != SIM_OK || sim_debug_go(&t->client, &plan, err) != SIM_OK)
        return kl_fail_from(err, KL_ERROR_SYSTEM, "the simulator does not answer");
    t->way = way;
    return t->is_remote ? KL_OK : wait_for_stop(t, err);
}
