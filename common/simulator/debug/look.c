// Whether a launch is to stop at this instruction: breakpoints, watchpoints, findings, and the end
// of a step. Forwards the first such place counts, backwards the last one before the present: the
// same code runs, from a snapshot on.
#include "debug/internal.h"
#include "warps/lanes.h"

static bool is_same_line(const debug_start *a, const debug_start *b) {
    return a->depth == b->depth && a->location.line == b->location.line &&
           a->location.file == b->location.file;
}

static debug_start start_of(const debug_moment *moment) {
    return (debug_start){debug_location(moment->frame->function, moment->instr->pc),
                         moment->frame->depth};
}

static bool goes_back(const sim_debugger *debugger) {
    return debugger->board->plan.way == SIM_DEBUG_BACKWARDS;
}

// The thread that steps is about to execute an instruction.
static bool is_thread(const sim_debugger *debugger) {
    const sim_debug_thread *thread = &debugger->board->plan.thread;
    const debug_moment *now = &debugger->now;
    return now->lanes >> thread->lane & 1 && now->warp->index == thread->warp &&
           debug_linear(now->warp->block) == thread->block;
}

// A warp of those that are followed is.
static bool is_any_of(const sim_debugger *debugger) {
    const sim_debug_plan *plan = &debugger->board->plan;
    const sim_warp *warp = debugger->now.warp;
    return warp->index - plan->thread.warp < plan->warps &&
           debug_linear(warp->block) - plan->thread.block < plan->blocks;
}

// ---- Watchpoints --------------------------------------------------------------------------------

static bool is_of_owner(const sim_debug_point *point, const sim_warp *warp, uint32_t lane) {
    if (point->space == PTX_SPACE_GLOBAL) return true;
    if (debug_linear(warp->block) != point->thread.block) return false;
    bool same = warp->index == point->thread.warp && lane == point->thread.lane;
    return point->space == PTX_SPACE_SHARED || same;
}

static bool is_watchpoint(const sim_debug_point *point) {
    return point->kind >= SIM_DEBUG_ON_WRITE;
}

// Whether the instruction `now` touches a place. Lanes go in order: the last one's value stays.
static bool will_touch(const sim_debugger *debugger, const sim_debug_point *point,
                       uint32_t *out_lane) {
    const debug_moment *now = &debugger->now;
    const sim_instr *instr = now->instr;
    uint32_t bytes = sim_access_bytes(instr);
    bool found = false;
    for (uint32_t rest = now->on; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t at;
        if (!debug_address_in(now->warp, instr->space, point->space, debug_lane_address(now, lane),
                              &at))
            continue;
        if (at + bytes <= point->address || at >= point->address + point->bytes) continue;
        if (!is_of_owner(point, now->warp, lane)) continue;
        *out_lane = lane;
        found = true;
    }
    return found;
}

// False: the memory is not there now, its block does not run.
static bool read_watched(const sim_debugger *debugger, const sim_debug_point *point,
                         uint8_t out_value[SIM_DEBUG_WATCHED_BYTES]) {
    const sim_warp *warp =
        point->space == PTX_SPACE_GLOBAL ? NULL : debug_find_warp(debugger, &point->thread);
    if (point->space != PTX_SPACE_GLOBAL && !warp) return false;
    for (uint32_t done = 0; done < point->bytes;) {
        uint32_t bytes = point->bytes - done < 4 ? point->bytes - done : 4;
        const uint8_t *from = debug_memory(debugger, warp, point->thread.lane, point->space,
                                           point->address + done, bytes);
        if (!from) return false;
        memcpy(out_value + done, from, bytes);
        done += bytes;
    }
    return true;
}

static void arm(sim_debugger *debugger, uint32_t index) {
    const sim_debug_point *point = &debugger->board->points[index];
    sim_debug_access access = debug_access_of(debugger->now.instr);
    bool reads = access == SIM_DEBUG_LOAD || access == SIM_DEBUG_ATOMIC;
    bool writes = access == SIM_DEBUG_STORE || access == SIM_DEBUG_ATOMIC;
    reads &= point->kind != SIM_DEBUG_ON_WRITE;
    writes &= point->kind != SIM_DEBUG_ON_READ;
    read_watched(debugger, point, debugger->watched[index].value);
    bool touches = (reads || writes) && will_touch(debugger, point, &debugger->watched[index].lane);
    debugger->watched[index].read = touches && reads;
    debugger->watched[index].written = touches && writes;
}

// What the instruction before this one did with a watched place.
static bool look_at_watchpoint(sim_debugger *debugger, uint32_t index, sim_debug_stop *out_stop) {
    const sim_debug_point *point = &debugger->board->points[index];
    if (!is_watchpoint(point)) return false;
    uint8_t value[SIM_DEBUG_WATCHED_BYTES] = {0};
    bool is_there = read_watched(debugger, point, value);
    bool changed = is_there && point->kind != SIM_DEBUG_ON_READ &&
                   memcmp(value, debugger->watched[index].value, point->bytes) != 0;
    bool wrote = is_there && debugger->watched[index].written;
    bool read = is_there && debugger->watched[index].read;
    bool met = changed || wrote || read;
    if (met) {
        uint32_t lane = debugger->watched[index].lane;
        const debug_moment *doer = &debugger->before;
        if (!wrote && !read && doer->warp) lane = (uint32_t)__builtin_ctz(doer->lanes);
        *out_stop = debug_stop_of(debugger, SIM_DEBUG_WATCHPOINT, doer, lane);
        if (!goes_back(debugger)) out_stop->time = debugger->now.time;
        out_stop->point = point->number;
        out_stop->asks = point->asks;
        out_stop->wrote = wrote;
        out_stop->read = read;
        memcpy(out_stop->old_value, debugger->watched[index].value, point->bytes);
        memcpy(out_stop->new_value, value, point->bytes);
    }
    arm(debugger, index);
    return met;
}

// ---- Findings -----------------------------------------------------------------------------------

// A finding is made while the instruction before this one is executed; where that is to be seen
// before it happens, the launch goes back by one.
static bool look_at_findings(sim_debugger *debugger, const debug_moment *moment,
                             sim_debug_stop *out_stop) {
    const sim_debug_findings *findings = &debugger->findings;
    uint32_t count = findings->context ? findings->count(findings->context) : 0;
    if (count <= debugger->findings_seen) return false;
    const sim_finding *found = findings->get(findings->context, debugger->findings_seen);
    debugger->findings_seen = count;
    if (!moment->warp || moment->time == debugger->board->told) return false;
    if (sim_check_is_of_host(found->kind)) return false;
    *out_stop =
        debug_stop_of(debugger, SIM_DEBUG_FINDING, moment, (uint32_t)__builtin_ctz(moment->lanes));
    // The thread that did it, which may be one that was at work before.
    const sim_check_side *side = &found->sides[0];
    const sim_dim3 *grid = &debugger->grid->launch->config.grid,
                   *block = &debugger->grid->launch->config.block;
    uint32_t thread = side->thread.x + block->x * (side->thread.y + block->y * side->thread.z);
    const sim_debug_thread doer = {
        side->block.x + (uint64_t)grid->x * (side->block.y + (uint64_t)grid->y * side->block.z),
        thread / SIM_WARP_LANES, thread % SIM_WARP_LANES};
    if (side->action != SIM_ACTION_NONE && debug_find_warp(debugger, &doer))
        out_stop->thread = doer;
    out_stop->finding = *found;
    return true;
}

// ---- Steps --------------------------------------------------------------------------------------

static bool is_over(uint32_t step) {
    return step == SIM_DEBUG_LINE_OVER || step == SIM_DEBUG_INSTRUCTION_OVER;
}

static bool is_instruction(uint32_t step) {
    return step == SIM_DEBUG_INSTRUCTION || step == SIM_DEBUG_INSTRUCTION_OVER;
}

// Loops are left, and calls are not entered.
static bool until_is_done(sim_debugger *debugger, const debug_start *here) {
    debug_start *start = &debugger->start;
    uint64_t line = debugger->board->plan.time;
    if (here->depth != start->depth) return here->depth < start->depth;
    if (here->location.line == 0 || here->location.file != start->location.file) return false;
    if (line == 0) return here->location.line > start->location.line;
    if (is_same_line(here, start)) return false;
    start->location.line = 0; // it may come back to the line where it began
    return here->location.line == line;
}

static bool step_is_done(sim_debugger *debugger, const debug_start *here) {
    debug_start *start = &debugger->start;
    uint32_t step = debugger->board->plan.step;
    if (step == SIM_DEBUG_UNTIL) return until_is_done(debugger, here);
    if (step == SIM_DEBUG_OUT) return here->depth < start->depth;
    if (is_over(step) && here->depth > start->depth) return false;
    if (is_instruction(step)) return true;
    if (here->depth < start->depth) *start = *here; // returned, into the midst of a line
    return here->location.line && !is_same_line(here, start);
}

// Backwards a step ends where a line of the thread began.
static bool begins_here(sim_debugger *debugger, const debug_start *here) {
    uint32_t step = debugger->board->plan.step;
    if (step == SIM_DEBUG_OUT) return here->depth < debugger->start.depth;
    if (is_over(step) && here->depth > debugger->start.depth) return false;
    if (is_instruction(step)) return true;
    if (here->location.line == 0) return false;
    bool begins = debugger->knows_line && !is_same_line(here, &debugger->last);
    debugger->last = *here;
    debugger->knows_line = true;
    return begins;
}

static bool step_ends(const sim_debugger *debugger, sim_debug_stop *out_stop) {
    uint32_t lane = debugger->board->plan.thread.lane;
    if (!(debugger->now.lanes >> lane & 1)) lane = (uint32_t)__builtin_ctz(debugger->now.lanes);
    *out_stop = debug_stop_of(debugger, SIM_DEBUG_STEPPED, &debugger->now, lane);
    return true;
}

// Whether the thread that steps, whose instruction this is, ends with it.
static bool ends_thread(const sim_debugger *debugger) {
    const debug_moment *now = &debugger->now;
    bool ends = sim_is_return(now->instr) && (!sim_is_ret(now->instr) || now->frame->depth == 0);
    return ends && now->on >> debugger->board->plan.thread.lane & 1;
}

static bool is_skipped(const sim_debugger *debugger) {
    const sim_debug_plan *plan = &debugger->board->plan;
    uint32_t line = debugger->now.instr->ptx_line;
    for (uint32_t i = 0; i < plan->skip_count && i < SIM_DEBUG_SKIPS; i++)
        if (line >= plan->skips[i].first && line < plan->skips[i].end) return true;
    return false;
}

static bool look_at_step(sim_debugger *debugger, sim_debug_stop *out_stop) {
    const debug_moment *now = &debugger->now;
    bool back = goes_back(debugger);
    if (debugger->board->plan.step == SIM_DEBUG_CONTINUE) return false;
    if (debugger->board->plan.step == SIM_DEBUG_ANY_OF)
        return is_any_of(debugger) && step_ends(debugger, out_stop);
    if (!is_thread(debugger)) // it may have ended
        return debugger->leaves && !back && step_ends(debugger, out_stop);
    debug_start here = start_of(now);
    if (debugger->first == DEBUG_NEVER) debugger->first = now->time;
    debugger->leaves = ends_thread(debugger);
    if (is_skipped(debugger)) return false;
    bool done = back ? begins_here(debugger, &here) : step_is_done(debugger, &here);
    return done && step_ends(debugger, out_stop);
}

// ---- Breakpoints --------------------------------------------------------------------------------

static bool look_at_breakpoints(sim_debugger *debugger, sim_debug_stop *out_stop) {
    const debug_moment *now = &debugger->now, *before = &debugger->before;
    const sim_function *function = now->frame->function;
    const uint8_t *marks = debugger->marks ? debugger->marks[function->bound->index] : NULL;
    if (!marks || !marks[now->instr->pc] || !now->on) return false;
    const sim_debug_point *point = &debugger->board->points[marks[now->instr->pc] - 1];
    // From the instruction before it the line only goes on.
    bool goes_on = before->warp == now->warp && before->instr + 1 == now->instr;
    if (goes_on && point->kind == SIM_DEBUG_AT_LINE) {
        debug_start here = start_of(now), last = start_of(before);
        if (is_same_line(&here, &last)) return false;
    }
    uint32_t lane = debugger->board->plan.thread.lane;
    if (!(now->on >> lane & 1)) lane = (uint32_t)__builtin_ctz(now->on);
    *out_stop = debug_stop_of(debugger, SIM_DEBUG_BREAKPOINT, now, lane);
    out_stop->point = point->number;
    out_stop->asks = point->asks;
    return true;
}

// ---- The whole ----------------------------------------------------------------------------------

void debug_look_begin(sim_debugger *debugger) {
    const debug_board *board = debugger->board;
    debugger->looks = board->plan.way != SIM_DEBUG_TO_TIME;
    debugger->knows_line = false;
    debugger->leaves = debugger->now.warp && is_thread(debugger) && ends_thread(debugger);
    debugger->first = DEBUG_NEVER;
    debugger->best.time = DEBUG_NEVER;
    if (debugger->findings.context)
        debugger->findings_seen = debugger->findings.count(debugger->findings.context);
    debug_mark(debugger);
    if (!debugger->now.warp) return;
    for (uint32_t i = 0; i < board->point_count; i++)
        if (is_watchpoint(&board->points[i])) arm(debugger, i);
}

static bool look_at(sim_debugger *debugger, uint32_t stage, sim_debug_stop *out_stop) {
    uint32_t points = debugger->board->point_count;
    if (stage == 0) return look_at_findings(debugger, &debugger->before, out_stop);
    if (stage <= points) return look_at_watchpoint(debugger, stage - 1, out_stop);
    if (stage == points + 1) return look_at_breakpoints(debugger, out_stop);
    return look_at_step(debugger, out_stop);
}

bool debug_look(sim_debugger *debugger, bool behind, uint32_t *stage, sim_debug_stop *out_stop) {
    uint32_t stages = debugger->board->point_count + (behind ? 1 : 3);
    while (*stage < stages)
        if (look_at(debugger, (*stage)++, out_stop)) return true;
    return false;
}

bool debug_look_end(sim_debugger *debugger, sim_debug_stop *out_stop) {
    return debugger->looks && look_at_findings(debugger, &debugger->now, out_stop);
}

// ---- the memory that an instruction is about to touch -------------------------------------------
// From the registers that hold its addresses.

sim_debug_access debug_access_of(const sim_instr *instr) {
    if (instr->mods & SIM_MOD_FRAME) return SIM_DEBUG_NO_ACCESS; // a parameter of a call
    if (sim_is_atomic(instr)) return SIM_DEBUG_ATOMIC;
    if (sim_is_load(instr)) return SIM_DEBUG_LOAD;
    return sim_is_write(instr) ? SIM_DEBUG_STORE : SIM_DEBUG_NO_ACCESS;
}

uint64_t debug_lane_address(const debug_moment *now, uint32_t lane) {
    const sim_instr *instr = now->instr;
    const uint8_t *slot = now->frame->registers + instr->src[0];
    if (instr->src[0] == SIM_NO_SLOT) return (uint64_t)instr->offset;
    if (instr->mods & SIM_MOD_ADDRESS32)
        return ((const uint32_t *)slot)[lane] + (uint32_t)instr->offset;
    return ((const uint64_t *)slot)[lane] + (uint64_t)instr->offset;
}

bool debug_address_in(const sim_warp *warp, uint8_t instr_space, uint32_t space, uint64_t address,
                      uint64_t *out_address) {
    static const uint64_t windows[] = {
        [PTX_SPACE_SHARED] = SIM_SHARED_WINDOW, [PTX_SPACE_LOCAL] = SIM_LOCAL_WINDOW};
    *out_address = address;
    if (space == PTX_SPACE_GLOBAL) {
        *out_address = sim_device_address(warp, address);
        return instr_space == PTX_SPACE_GLOBAL || instr_space == PTX_SPACE_NONE;
    }
    if (instr_space != space && instr_space != PTX_SPACE_NONE) return false;
    if (instr_space == PTX_SPACE_NONE) *out_address -= windows[space];
    if (space == PTX_SPACE_SHARED) *out_address = sim_shared_offset(warp, *out_address);
    return instr_space == space || *out_address < SIM_WINDOW_BYTES;
}

// A generic address lies in a window, or in global memory.
static uint32_t space_of(const sim_warp *warp, const sim_instr *instr, uint64_t address) {
    uint64_t ignored;
    if (debug_address_in(warp, instr->space, PTX_SPACE_SHARED, address, &ignored))
        return PTX_SPACE_SHARED;
    if (debug_address_in(warp, instr->space, PTX_SPACE_LOCAL, address, &ignored))
        return PTX_SPACE_LOCAL;
    bool is_global = instr->space == PTX_SPACE_GLOBAL || instr->space == PTX_SPACE_NONE;
    return is_global ? PTX_SPACE_GLOBAL : PTX_SPACE_NONE;
}

static void describe_access(const debug_moment *now, sim_debug_instruction *out) {
    const sim_instr *instr = now->instr;
    uint32_t first = (uint32_t)__builtin_ctz(now->on);
    out->space = space_of(now->warp, instr, debug_lane_address(now, first));
    if (out->space == PTX_SPACE_NONE) return;
    out->access = debug_access_of(instr);
    out->bytes = sim_access_bytes(instr);
    for (uint32_t rest = now->on; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (debug_address_in(now->warp, instr->space, out->space, debug_lane_address(now, lane),
                             &out->addresses[lane]))
            out->touching |= 1u << lane;
    }
}

void debug_describe_instruction(const debug_moment *now, sim_debug_instruction *out) {
    memset(out, 0, sizeof *out);
    out->thread = debug_thread_of(now, now->lanes ? (uint32_t)__builtin_ctz(now->lanes) : 0);
    out->lanes = now->lanes;
    out->on = now->on;
    debug_describe_lane(now->frame->function, now->instr->pc, SIM_DEBUG_ACTIVE, &out->at);
    out->depth = now->frame->depth;
    out->is_barrier = sim_is_barrier(now->instr);
    if (now->on && debug_access_of(now->instr) != SIM_DEBUG_NO_ACCESS) describe_access(now, out);
}
