// Waits and loops that cannot end. While nothing writes memory that others see, a warp's way
// depends on memory and on what decides the exits of the loops around it (program/program.h) alone:
// one that comes back to a state of these goes round for ever. When that holds for all warps of all
// blocks that run together, but for those that wait for one of them, no thread can make progress.
// Counters of polls and times of back-off loops decide nothing, mostly; a loop that counts to its
// end, or whose exit depends on a clock, never comes back. Looks at states only when memory has not
// changed for long, so that other launches pay for a few additions per time slice.
#include "warps/split.h"

enum {
    QUIET_STEPS = 256,            // of blocks, or
    QUIET_INSTRUCTIONS = 1 << 16, // of warps, without a change before states are compared
    KEPT = 64,                    // instructions of which it is known what decides
};
static const size_t ARENA_BYTES = (size_t)1 << 30;

typedef struct kept_exits {
    const sim_function *function;
    uint32_t pc;
    bool called;
    sim_exits exits;
} kept_exits;

struct sim_exits_table {
    sim_arena *arena;
    uint64_t stamp; // of the program that they are of
    uint32_t count; // of `kept`
    kept_exits kept[KEPT];
};

void sim_exits_table_free(struct sim_exits_table *table) {
    if (table) sim_arena_free(table->arena);
    free(table);
}

static struct sim_exits_table *table_of(sim_worker *worker) {
    if (!worker->exits) worker->exits = calloc(1, sizeof *worker->exits);
    struct sim_exits_table *table = worker->exits;
    if (!table) return NULL;
    if (!table->arena || table->stamp != worker->program_stamp || table->count == KEPT) {
        sim_arena_free(table->arena);
        table->arena = sim_arena_new(ARENA_BYTES);
        table->stamp = worker->program_stamp;
        table->count = 0;
    }
    return table->arena ? table : NULL;
}

// NULL: no host memory.
static const sim_exits *exits_at(const sim_block *block, const sim_function *function, uint32_t pc,
                                 bool called) {
    struct sim_exits_table *table = table_of(block->worker);
    if (!table) return NULL;
    for (uint32_t i = 0; i < table->count; i++) {
        const kept_exits *kept = &table->kept[i];
        if (kept->function == function && kept->pc == pc && kept->called == called)
            return &kept->exits;
    }
    kept_exits *kept = &table->kept[table->count];
    if (pc >= function->code_count || !sim_exits_find(table->arena, block->grid->launch->program,
                                                      function, pc, called, &kept->exits))
        return NULL;
    kept->function = function;
    kept->pc = pc;
    kept->called = called;
    table->count++;
    return &kept->exits;
}

// ---- The state of a warp ----

// Of lanes that go together.
typedef struct lane_state {
    uint64_t digest, clocks; // of what decides; clocks that do
    bool in_loop;
} lane_state;

static void add_slot(lane_state *state, const uint8_t *registers, const sim_exit_slot *slot,
                     uint32_t lanes) {
    const uint8_t *from = registers + slot->offset;
    uint32_t each = slot->bytes / SIM_WARP_LANES;
    if (slot->narrow) {
        for (uint32_t rest = lanes; rest; rest &= rest - 1)
            state->digest = sim_digest(state->digest, from + (uint32_t)__builtin_ctz(rest) * 4, 2);
        return;
    }
    if (lanes == SIM_ALL_LANES || (each != 4 && each != 8)) {
        state->digest = sim_digest(state->digest, from, slot->bytes);
        return;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        state->digest =
            sim_digest(state->digest, from + (uint32_t)__builtin_ctz(rest) * each, each);
}

// The outermost frame that is in a loop; NULL: none is.
static const sim_frame *outermost_loop(const sim_block *block, const sim_frame *frame,
                                       uint32_t pc) {
    const sim_frame *found = NULL;
    for (; frame; pc = frame->return_pc - 1, frame = frame->caller) {
        const sim_exits *exits = exits_at(block, frame->function, pc, false);
        if (exits && exits->in_loop) found = frame;
    }
    return found;
}

static lane_state state_of(const sim_warp *warp, const sim_frame *frame, uint32_t pc,
                           uint32_t lanes) {
    const sim_block *block = warp->block;
    lane_state state = {.digest = SIM_DIGEST_BEGIN};
    const sim_frame *outer = outermost_loop(block, frame, pc);
    bool local = false;
    for (; outer; pc = frame->return_pc - 1, frame = frame->caller) {
        const sim_exits *exits = exits_at(block, frame->function, pc, frame != outer);
        if (!exits) return (lane_state){.in_loop = false};
        const uint64_t place[] = {(uintptr_t)frame->function, pc, lanes};
        state.digest = sim_digest(state.digest, place, sizeof place);
        for (uint32_t i = 0; i < exits->slot_count; i++)
            add_slot(&state, frame->registers, &exits->slots[i], lanes);
        state.clocks |= exits->clocks;
        local = local || exits->reads_local;
        if (frame == outer) break;
    }
    state.in_loop = outer != NULL;
    if (local && warp->local)
        state.digest =
            sim_digest(state.digest, warp->local, (size_t)warp->local_bytes * SIM_WARP_LANES);
    return state;
}

// Of all lanes of a warp, whatever the order of its splits. False: some run and are in no loop.
static bool warp_state(const sim_warp *warp, uint64_t *out_digest, uint64_t *out_clocks) {
    lane_state state = {.in_loop = true};
    *out_digest = *out_clocks = 0;
    if (warp->lanes) state = state_of(warp, warp->frame, warp->pc, warp->lanes);
    if (!state.in_loop) return false;
    *out_digest = state.digest;
    *out_clocks = state.clocks;
    for (uint32_t i = 0; i < warp->split_count; i++) {
        const sim_split *split = &warp->splits[i];
        state = state_of(warp, split->frame, split->pc, split->lanes);
        if (!state.in_loop && split->state == SIM_SPLIT_READY) return false;
        const uint64_t place[] = {state.digest, split->pc, split->lanes, split->state};
        *out_digest += sim_digest(SIM_DIGEST_BEGIN, place, sizeof place);
        *out_clocks |= state.clocks;
    }
    return true;
}

// ---- Whether it comes back ----

static void restart(sim_warp *warp) {
    warp->repetition = (sim_repetition){.steps = 0};
    warp->repeats = false;
}

// The state that the next ones are compared with, twice as many each time (Brent 1980), so that a
// way round of any length is found.
static bool comes_back(sim_warp *warp) {
    sim_repetition *seen = &warp->repetition;
    uint64_t digest, clocks;
    if (!warp_state(warp, &digest, &clocks)) {
        restart(warp);
        return false;
    }
    bool same = seen->limit && seen->state == digest && !(warp->clocks_read & clocks);
    seen->steps++;
    if (same) return true;
    if (seen->steps < seen->limit) return false;
    *seen = (sim_repetition){.state = digest,
                             .limit = seen->limit ? 2 * seen->limit : 1,
                             .begun = warp->block->worker->watch.steps};
    warp->clocks_read = 0;
    warp->moved = false;
    return false;
}

// Whether it goes round for ever, or waits and has not gone on for as long as it was looked at.
static bool is_stuck(sim_warp *warp, sim_watch *watch) {
    if (warp->changes_seen != watch->changes) {
        warp->changes_seen = watch->changes;
        warp->turned = 0;
        restart(warp);
    }
    if (warp->repeats) return true;
    bool runnable = warp->lanes || warp->ready_count;
    if (runnable && !warp->moved_since) return false; // its time has not come
    warp->moved_since = false;
    if (!comes_back(warp)) return false;
    if (!warp->moved) return !runnable;
    warp->repeats = true;
    uint64_t period = watch->steps - warp->repetition.begun;
    if (period > watch->period) watch->period = period;
    return true;
}

// Lanes that are ready and have not had their turn may be the ones that others wait for, or those
// that wait where they would meet others: that is for performance alone.
static bool lets_others(sim_block *block) {
    bool turned = false;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        sim_warp *warp = &block->warps[i];
        if (!warp->lanes || warp->ready_count == 0 || warp->turned > SIM_WARP_LANES) continue;
        warp->turned++;
        sim_split_rotate(warp);
        restart(warp);
        turned = true;
    }
    for (uint32_t i = 0; !turned && i < block->warp_count; i++)
        turned = sim_split_release(&block->warps[i]);
    if (turned) block->worker->watch.changed = true;
    return turned;
}

bool sim_block_is_stuck(sim_block *block) {
    sim_watch *watch = &block->worker->watch;
    if (watch->steps < QUIET_STEPS && watch->instructions < QUIET_INSTRUCTIONS) return false;
    if (block->wants_draw || block->live_threads == 0) return false;
    bool stuck = true;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        sim_warp *warp = &block->warps[i];
        if (warp->alive && !is_stuck(warp, watch)) stuck = false;
    }
    return stuck && watch->steps - watch->moved >= watch->period && !lets_others(block);
}

// ---- Cycles that write memory -------------------------------------------------------------------

enum {
    LOOK_INSTRUCTIONS = 1 << 12,  // of all warps, from one look to the next, and
    LOOK_BYTES_EACH = 8,          // bytes of state for which one more is waited for
    CYCLE_INSTRUCTIONS = 1 << 23, // in which nothing but such cycles has happened, and
    CYCLE_MATCHES = 4,            // so many of them
    LOCAL_BYTES = 1 << 20         // of a warp's local memory; more is not looked at
};

// All that decides what lanes do next; *bytes: added to. False: too much.
static bool add_lanes(const sim_warp *warp, const sim_frame *frame, uint32_t pc, uint32_t lanes,
                      uint32_t state, uint64_t *out_digest, uint64_t *bytes) {
    uint64_t digest = SIM_DIGEST_BEGIN;
    for (; frame; pc = frame->return_pc, frame = frame->caller) {
        const uint64_t place[] = {(uintptr_t)frame->function, pc, lanes, state};
        digest = sim_digest(digest, place, sizeof place);
        digest = sim_digest(digest, frame->registers, frame->function->frame_bytes);
        *bytes += frame->function->frame_bytes;
    }
    *out_digest += digest;
    return (size_t)warp->local_bytes * SIM_WARP_LANES <= LOCAL_BYTES;
}

static bool add_block(const sim_block *block, uint64_t *digest, uint64_t *bytes, bool *out_clocks) {
    for (uint32_t i = 0; i < block->warp_count; i++) {
        sim_warp *warp = &block->warps[i];
        uint64_t of_warp = i;
        if (!warp->alive) continue;
        *out_clocks |= warp->clocks_read != 0;
        warp->clocks_read = 0;
        if (warp->lanes && !add_lanes(warp, warp->frame, warp->pc, warp->lanes, 0, &of_warp, bytes))
            return false;
        for (uint32_t k = 0; k < warp->split_count; k++) {
            const sim_split *split = &warp->splits[k];
            if (!add_lanes(warp, split->frame, split->pc, split->lanes, 1 + split->state, &of_warp,
                           bytes))
                return false;
        }
        size_t local = (size_t)warp->local_bytes * SIM_WARP_LANES;
        if (warp->local) of_warp = sim_digest(of_warp, warp->local, local);
        *digest = sim_digest(*digest, &of_warp, sizeof of_warp);
    }
    return true;
}

bool sim_blocks_cycle(sim_block *blocks, const bool *is_done, uint64_t count) {
    sim_cycle *cycle = &blocks[0].worker->cycle;
    uint64_t state = SIM_DIGEST_BEGIN, bytes = 0;
    bool clocks = false, fits = true;
    if (cycle->untracked) *cycle = (sim_cycle){.memory = 0};
    if (cycle->instructions < CYCLE_INSTRUCTIONS || cycle->instructions < cycle->looked)
        return false;
    for (uint64_t i = 0; i < count && fits; i++) {
        if (is_done[i]) continue;
        if (blocks[i].wants_draw) return false;
        state = sim_digest(state, &i, sizeof i);
        fits = add_block(&blocks[i], &state, &bytes, &clocks);
    }
    state = sim_digest(state, &cycle->memory, sizeof cycle->memory);
    cycle->looked = cycle->instructions + LOOK_INSTRUCTIONS + bytes / LOOK_BYTES_EACH;
    if (cycle->limit && cycle->state == state && fits && !clocks)
        return ++cycle->matches >= CYCLE_MATCHES;
    if (++cycle->count < cycle->limit && !clocks) return false;
    cycle->limit = cycle->limit ? 2 * cycle->limit : 1;
    cycle->state = state;
    cycle->count = cycle->matches = 0;
    return false;
}

bool sim_block_polls(const sim_block *block) {
    const sim_frame *frame;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const sim_warp *warp = &block->warps[i];
        if (!warp->lanes && !warp->ready_count) continue;
        const sim_exits *exits =
            warp->lanes ? sim_warp_exits(warp, warp->frame, warp->pc, &frame) : NULL;
        if (!exits || exits->reads_memory) return true;
    }
    return false;
}

// Where the loop is that a warp does not leave, and what is known of it; NULL: it is in none.
const sim_exits *sim_warp_exits(const sim_warp *warp, const sim_frame *frame, uint32_t pc,
                                const sim_frame **out_frame) {
    for (; frame; pc = frame->return_pc - 1, frame = frame->caller) {
        const sim_exits *exits = exits_at(warp->block, frame->function, pc, false);
        *out_frame = frame;
        if (exits && exits->in_loop) return exits;
    }
    return NULL;
}
