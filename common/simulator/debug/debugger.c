// Stops, what the client asks meanwhile, and going on in either direction.
#include "debug/internal.h"
#include <sys/socket.h>
#include <unistd.h>

// The client has gone.
static _Noreturn void give_up(sim_debugger *debugger) { sim_debugger_exit(debugger, 1); }

static void send_all(sim_debugger *debugger, const void *head, size_t head_bytes, const void *data,
                     size_t data_bytes) {
    struct iovec parts[2] = {{(void *)head, head_bytes}, {(void *)data, data_bytes}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    ssize_t sent;
    do sent = sendmsg(debugger->descriptor, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent != (ssize_t)(head_bytes + data_bytes)) give_up(debugger);
}

static void receive(sim_debugger *debugger, sim_debug_request *out_request) {
    ssize_t got;
    do got = recv(debugger->descriptor, out_request, sizeof *out_request, 0);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof *out_request) give_up(debugger);
}

static void take_points(sim_debugger *debugger, uint32_t count) {
    debug_board *board = debugger->board;
    size_t bytes = count * sizeof *board->points;
    if (count > SIM_DEBUG_POINTS) give_up(debugger);
    board->point_count = count;
    if (count && recv(debugger->descriptor, board->points, bytes, 0) != (ssize_t)bytes)
        give_up(debugger);
}

static sim_status answer_place(const sim_debugger *debugger, const sim_debug_point *point,
                               uint8_t *data, uint32_t *out_bytes, kl_error *err) {
    const sim_function *function;
    uint32_t pc;
    if (!debug_resolve(debugger, point, &function, &pc))
        return sim_fail(err, SIM_NOT_FOUND, "no code there");
    debug_describe_place(debugger, function, pc, (sim_debug_place *)data);
    *out_bytes = sizeof(sim_debug_place);
    return SIM_OK;
}

static sim_status answer_instruction(const sim_debugger *debugger, uint8_t *data,
                                     uint32_t *out_bytes, kl_error *err) {
    if (!debugger->now.warp) return sim_fail(err, SIM_NOT_FOUND, "no instruction is next");
    debug_describe_instruction(&debugger->now, (sim_debug_instruction *)data);
    *out_bytes = sizeof(sim_debug_instruction);
    return SIM_OK;
}

static void answer(sim_debugger *debugger, const sim_debug_request *request) {
    static uint8_t data[SIM_DEBUG_DATA] __attribute__((aligned(64)));
    kl_error err = {0};
    sim_debug_answer head = {.status = SIM_OK};
    if (request->kind == SIM_DEBUG_ASK_POINTS) take_points(debugger, request->count);
    else if (request->kind == SIM_DEBUG_ASK_RESOLVE)
        head.status = answer_place(debugger, &request->point, data, &head.bytes, &err);
    else if (request->kind == SIM_DEBUG_ASK_INSTRUCTION)
        head.status = answer_instruction(debugger, data, &head.bytes, &err);
    else head.status = debug_answer(debugger, request, data, &head.bytes, &err);
    if (head.status != SIM_OK) head.bytes = 0;
    snprintf(head.text, sizeof head.text, "%.250s", err.text);
    send_all(debugger, &head, sizeof head, data, head.bytes);
}

static void find_due(sim_debugger *debugger) {
    const debug_board *board = debugger->board;
    uint64_t due = debugger->time + DEBUG_POLL;
    if (board->plan.way != SIM_DEBUG_FORWARDS && board->until < due) due = board->until;
    debugger->due = due;
}

static void go_to(sim_debugger *debugger, uint64_t time, const sim_debug_stop *found) {
    debug_board *board = debugger->board;
    board->plan.way = SIM_DEBUG_TO_TIME;
    board->until = time;
    board->found = *found;
    debug_snapshots_drop(board, time);
    debug_snapshot_wake(debugger, debug_snapshot_before(board, time));
}

// From a snapshot before `until` on.
static void search_from(sim_debugger *debugger, uint32_t snapshot, uint64_t until) {
    debug_board *board = debugger->board;
    board->from = snapshot;
    board->until = until;
    debug_snapshot_wake(debugger, snapshot);
}

// Nothing was found before board->until since the snapshot from which it looked.
static void search_earlier(sim_debugger *debugger) {
    debug_board *board = debugger->board;
    uint64_t begun = board->snapshots[board->from].time;
    bool is_line = board->plan.step == SIM_DEBUG_LINE || board->plan.step == SIM_DEBUG_LINE_OVER;
    if (board->from == 0) {
        sim_debug_stop stop = debug_stop_of(debugger, SIM_DEBUG_BEGINNING, &debugger->now, 0);
        stop.thread = board->plan.thread;
        // The thread's first instruction begins a line, too.
        bool has_first = is_line && debugger->first < board->begun;
        if (has_first) stop.reason = SIM_DEBUG_STEPPED;
        stop.time = has_first ? debugger->first : 0;
        go_to(debugger, stop.time, &stop);
    }
    // Whether a line begins at the thread's first instruction is known from what came before.
    uint64_t until = begun;
    if (is_line && debugger->first < board->until) until = debugger->first + 1;
    search_from(debugger, board->from - 1, until);
}

static void set_start(sim_debugger *debugger) {
    const sim_debug_thread *thread = &debugger->board->plan.thread;
    const sim_warp *warp = debug_find_warp(debugger, thread);
    debugger->start = (debug_start){.depth = 0};
    if (!warp) return;
    debug_position at = debug_locate(debugger, warp, thread->lane);
    if (!at.frame) return;
    debugger->start.location = debug_location(at.frame->function, at.pc);
    debugger->start.depth = at.frame->depth;
}

// What the stop's client wants of a launch that is under way.
static void set_off(sim_debugger *debugger, const sim_debug_stop *stop) {
    debug_board *board = debugger->board;
    uint64_t now = stop->time;
    set_start(debugger);
    board->start = debugger->start;
    board->told = stop->reason == SIM_DEBUG_FINDING ? now : DEBUG_NEVER;
    if (board->plan.way == SIM_DEBUG_FORWARDS) {
        debugger->set_off = debugger->now.time;
        debug_look_begin(debugger);
        find_due(debugger);
        return;
    }
    sim_debug_stop reached = debug_stop_of(debugger, SIM_DEBUG_REACHED, &debugger->now, 0);
    reached.thread = board->plan.thread;
    reached.time = board->plan.time;
    if (board->plan.way == SIM_DEBUG_TO_TIME) go_to(debugger, board->plan.time, &reached);
    board->begun = now;
    reached.reason = SIM_DEBUG_BEGINNING;
    if (now == 0) go_to(debugger, 0, &reached);
    debug_snapshots_drop(board, now);
    search_from(debugger, debug_snapshot_before(board, now - 1), now);
}

// Tells the client and does what it asks until it lets the launch go on. True: the plan is the one
// that was under way.
static bool halt(sim_debugger *debugger, const sim_debug_stop *stop) {
    sim_debug_request request;
    send_all(debugger, stop, sizeof *stop, NULL, 0);
    for (;;) {
        receive(debugger, &request);
        if (request.kind == SIM_DEBUG_ASK_STOP) continue; // it has
        if (request.kind != SIM_DEBUG_ASK_GO) {
            answer(debugger, &request);
            continue;
        }
        if (request.plan.way == SIM_DEBUG_AS_WAS) {
            debugger->board->plan.counts = request.plan.counts;
            return true;
        }
        debugger->board->plan = request.plan;
        return false;
    }
}

// Something to stop at was met. Comes back when the launch is to go on.
static void met(sim_debugger *debugger, sim_debug_stop *stop) {
    debug_board *board = debugger->board;
    if (board->plan.way == SIM_DEBUG_BACKWARDS) {
        if (stop->time >= board->until) return;
        if (stop->asks) {
            halt(debugger, stop);
            if (!board->plan.counts) return;
        }
        debugger->best = *stop;
        debugger->best.asks = false;
        return;
    }
    stop->asks = false;
    if (stop->reason == SIM_DEBUG_FINDING) go_to(debugger, stop->time, stop);
    if (!halt(debugger, stop)) set_off(debugger, stop);
}

// ---- Each instruction ---------------------------------------------------------------------------

// After a stop that let the launch go on from here there is nothing more to look at.
static void look(sim_debugger *debugger, bool behind) {
    sim_debug_stop stop;
    uint32_t stage = 0;
    while (debugger->set_off != debugger->now.time && debug_look(debugger, behind, &stage, &stop))
        met(debugger, &stop);
}

// Where a search or a way to a time ends.
static void arrive(sim_debugger *debugger) {
    debug_board *board = debugger->board;
    if (board->plan.way == SIM_DEBUG_BACKWARDS) {
        look(debugger, true);
        if (debugger->best.time == DEBUG_NEVER) search_earlier(debugger);
        go_to(debugger, debugger->best.time, &debugger->best);
    }
    sim_debug_stop stop = board->found;
    const sim_warp *warp = debug_find_warp(debugger, &stop.thread);
    if (!warp || !debug_locate(debugger, warp, stop.thread.lane).frame) // not yet, or not any more
        stop.thread = debug_thread_of(&debugger->now, (uint32_t)__builtin_ctz(debugger->now.lanes));
    if (!halt(debugger, &stop)) set_off(debugger, &stop);
}

static void look_for_request(sim_debugger *debugger) {
    sim_debug_request request;
    ssize_t got = recv(debugger->descriptor, &request, sizeof request, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    if (got != (ssize_t)sizeof request) give_up(debugger);
    if (request.kind != SIM_DEBUG_ASK_STOP) return;
    uint32_t lane = (uint32_t)__builtin_ctz(debugger->now.lanes);
    sim_debug_stop stop = debug_stop_of(debugger, SIM_DEBUG_INTERRUPT, &debugger->now, lane);
    debugger->board->plan.way = SIM_DEBUG_FORWARDS;
    if (!halt(debugger, &stop)) set_off(debugger, &stop);
}

// Snapshots, the end of a way, the client's wish to stop.
static void do_what_is_due(sim_debugger *debugger) {
    debug_board *board = debugger->board;
    uint64_t now = debugger->now.time;
    bool woken = debug_snapshot_is_due(debugger) && debug_snapshot_take(debugger);
    if (woken) {
        debugger->set_off = DEBUG_NEVER;
        debugger->start = board->start;
        debug_look_begin(debugger);
    }
    if (board->plan.way != SIM_DEBUG_FORWARDS && now == board->until) arrive(debugger);
    else look_for_request(debugger);
    find_due(debugger);
}

static void note_block(sim_debugger *debugger, sim_block *block) {
    for (uint32_t i = 0; i < debugger->block_count; i++)
        if (debugger->blocks[i] == block) return;
    if (debugger->block_count < DEBUG_BLOCKS) debugger->blocks[debugger->block_count++] = block;
}

static void on_step(void *context, sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                    uint32_t on) {
    sim_debugger *debugger = context;
    if (!debugger->now.warp || debugger->now.warp->block != warp->block)
        note_block(debugger, warp->block);
    debugger->before = debugger->now;
    debugger->now = (debug_moment){warp, instr, warp->frame, lanes, on, debugger->time};
    if (debugger->time >= debugger->due) do_what_is_due(debugger);
    debugger->time = debugger->now.time + 1;
    if (debugger->looks) look(debugger, false);
}

static void on_fault(void *context, sim_block *block) {
    sim_debugger *debugger = context;
    debug_moment *now = &debugger->now;
    if (!now->warp) return;
    sim_debug_stop stop =
        debug_stop_of(debugger, SIM_DEBUG_FAULT, now, (uint32_t)__builtin_ctz(now->lanes));
    const sim_dim3 *size = &debugger->grid->launch->config.block, *at = &block->fault.thread;
    uint32_t thread = at->x + size->x * (at->y + size->y * at->z);
    stop.thread =
        (sim_debug_thread){debug_linear(block), thread / SIM_WARP_LANES, thread % SIM_WARP_LANES};
    stop.point = (uint32_t)block->fault.kind;
    snprintf(stop.text, sizeof stop.text, "%s", block->fault.text);
    debugger->board->plan.way = SIM_DEBUG_FORWARDS;
    if (!halt(debugger, &stop)) set_off(debugger, &stop);
}

// ---- A launch -----------------------------------------------------------------------------------

void sim_debugger_launch_begin(sim_debugger *debugger, sim_grid *grid, uint32_t launch,
                               const char *text, size_t text_bytes,
                               const sim_debug_findings *findings) {
    debugger->stepper = (sim_stepper){debugger, on_step, on_fault};
    grid->stepper = &debugger->stepper;
    debugger->grid = grid;
    debugger->launch = launch;
    debugger->text = text;
    debugger->text_bytes = text_bytes;
    debugger->findings = *findings;
    debugger->block_count = 0;
    debugger->time = debugger->due = 0;
    debugger->set_off = DEBUG_NEVER;
    debugger->now = debugger->before = (debug_moment){.warp = NULL};
    debugger->board->snapshot_count = 0;
    debugger->board->told = DEBUG_NEVER;
    sim_mem_set_aside_shared(grid->memory);
    sim_debug_stop stop = debug_stop_of(debugger, SIM_DEBUG_LAUNCH, &debugger->now, 0);
    halt(debugger, &stop);
    debugger->board->plan.way = SIM_DEBUG_FORWARDS;
    debug_look_begin(debugger);
}

void sim_debugger_launch_end(sim_debugger *debugger) {
    debug_board *board = debugger->board;
    sim_debug_stop found;
    if (debug_look_end(debugger, &found)) met(debugger, &found);
    if (board->plan.way == SIM_DEBUG_TO_TIME && debugger->now.warp) { // the end came first
        board->found.time = debugger->now.time;
        board->found.thread =
            debug_thread_of(&debugger->now, (uint32_t)__builtin_ctz(debugger->now.lanes));
        found = board->found;
        go_to(debugger, found.time, &found);
    }
    if (board->plan.step != SIM_DEBUG_CONTINUE) {
        sim_debug_stop stop = debug_stop_of(debugger, SIM_DEBUG_END, &debugger->now, 0);
        send_all(debugger, &stop, sizeof stop, NULL, 0);
        board->plan.step = SIM_DEBUG_CONTINUE;
    }
    debug_snapshots_end(board);
    debug_unmark(debugger);
    sim_mem_put_back_shared(debugger->grid->memory);
    debugger->grid = NULL;
}
