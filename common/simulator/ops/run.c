// The interpreter's loop. A run is a stretch of straight-line code, perhaps with a control
// instruction at its end; it is accounted as a whole (sim_count_run), so that an
// instruction costs one indirect call and the test of its guard. Compiled for each host variant.
#include "warps/split.h"
#include "ops/ops.h"

enum {
    SLICE_INSTRUCTIONS = 1 << 20, // of one warp before the others of its block run
    QUIET_INSTRUCTIONS = 1 << 22, // of a block that writes nothing: then its slices are shorter,
    QUIET_SLICE = 1 << 12,        // so that a loop that cannot end soon shows (warps/endless.c)
    CYCLE_INSTRUCTIONS = 1 << 24, // or of all that take back what they write
    UNMARKED_INSTRUCTIONS = SIM_SAMPLE_LEAST, // of a time slice before anything is due in it
    SETTLED_INSTRUCTIONS =
        1 << 24 // in one warp without any lane arriving, waiting or leaving: looks like a
                // spin that polling does not show, so waiting lanes are let go
};

static inline uint32_t guarded(const sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    uint32_t predicate = *(const uint32_t *)(warp->registers + instr->guard);
    return lanes & (instr->guard_negated ? ~predicate : predicate);
}

// Whether somebody is told of an instruction before it is executed.
static inline bool is_told(const sim_warp *warp, const sim_instr *instr) {
    return warp->watched &&
           (instr->touches || warp->watched & (SIM_WATCHED_BY_OBSERVER | SIM_WATCHED_BY_STEPPER));
}

static inline void count_off(sim_warp *warp, const sim_instr *instr, uint32_t off) {
    if (warp->counting && off)
        warp->record.counts[instr->pc].on += (uint64_t)__builtin_popcount(off);
}

// Executes from `instr` to warp->run_end, which handlers may lower.
static __attribute__((noinline)) void run_guarded(sim_warp *warp, const sim_instr *instr,
                                                  uint32_t lanes) {
    do {
        uint32_t on = lanes;
        if (instr->guard != SIM_NO_SLOT) {
            on = guarded(warp, instr, lanes);
            count_off(warp, instr, lanes & ~on);
        }
        if (on) instr->exec(warp, instr, on);
        instr++;
    } while (instr != warp->run_end);
}
// The same where no instruction has a guard.
static __attribute__((noinline)) void run_plain(sim_warp *warp, const sim_instr *instr,
                                                uint32_t lanes) {
    do {
        instr->exec(warp, instr, lanes);
        instr++;
    } while (instr != warp->run_end);
}

// The same of a warp that is watched.
static __attribute__((noinline)) void run_watched(sim_warp *warp, const sim_instr *instr,
                                                  uint32_t lanes) {
    do {
        uint32_t on = instr->guard == SIM_NO_SLOT ? lanes : guarded(warp, instr, lanes);
        count_off(warp, instr, lanes & ~on);
        if (is_told(warp, instr)) sim_observe_step(warp, instr, lanes, on);
        if (on) instr->exec(warp, instr, on);
        instr++;
    } while (instr != warp->run_end);
}
// Goes on to `end`, watched.
static __attribute__((noinline)) void watch_rest(sim_warp *warp, const sim_instr *end) {
    const sim_instr *next = warp->run_end;
    warp->interrupt = SIM_INTERRUPT_NONE;
    warp->run_end = end;
    if (next != end) run_watched(warp, next, warp->lanes);
}

// Accounts a run of `lanes` that starts at `pc`. Its length.
static inline uint32_t start_run(sim_warp *warp, sim_block *block, const sim_run *run, uint32_t pc,
                                 uint32_t lanes) {
    uint32_t length = run->plain + run->control;
    block->executed += length;
    warp->quantum -= length;
    if (warp->counting) {
        sim_count_run(warp->record.counts, warp->record.ran, pc, lanes);
        if (__builtin_expect(warp->record.trace != NULL, 0))
            sim_warp_trace_run(warp->record.trace, warp->frame->function, pc, length);
    }
    return length;
}
// What is known of address registers holds for one run; in a loop of it alone some of it stays.
static inline void forget_regular(sim_warp *warp, const sim_run *run, uint32_t lanes) {
    bool is_full = lanes == SIM_ALL_LANES;
    if (is_full && run == warp->last_run) {
        for (int i = 0; i < SIM_REGULAR_BASES; i++)
            warp->regular[i] = warp->regular[i] & SIM_SHAPE_STAYS ? warp->regular[i] : 0;
    } else {
        memset(warp->regular, 0, sizeof warp->regular);
        warp->last_run = is_full ? run : NULL;
    }
}
// Executes its straight part, from `instr` on.
static inline void run_straight(sim_warp *warp, const sim_instr *instr, const sim_run *run,
                                uint32_t lanes) {
    warp->run_end = instr + run->plain;
    forget_regular(warp, run, lanes);
    if (__builtin_expect(warp->watched, 0)) run_watched(warp, instr, lanes);
    else if (run->guards) run_guarded(warp, instr, lanes);
    else run_plain(warp, instr, lanes);
    if (__builtin_expect(warp->interrupt == SIM_INTERRUPT_WATCH, 0))
        watch_rest(warp, instr + run->plain);
}

static inline void run_control(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    uint32_t on = lanes;
    if (instr->guard != SIM_NO_SLOT) {
        on = guarded(warp, instr, lanes);
        count_off(warp, instr, lanes & ~on);
    }
    if (__builtin_expect(is_told(warp, instr), 0)) sim_observe_step(warp, instr, lanes, on);
    if (on) instr->exec(warp, instr, on);
}

// The run stopped after the instruction before run_end: the rest of it was not executed.
static void take_back_rest(sim_warp *warp, uint32_t lanes) {
    uint32_t pc = (uint32_t)(warp->run_end - warp->code);
    const sim_run *last = &warp->runs[pc - 1];
    uint32_t rest = last->plain + last->control - 1;
    warp->pc = pc;
    warp->block->executed -= rest;
    if (rest && warp->counting) sim_uncount_run(warp->record.counts, pc, lanes);
    if (warp->record.trace) sim_warp_trace_take_back(warp->record.trace, rest);
}

void SIM_VARIANT(sim_run_some)(sim_warp *warp, const sim_run *run, uint32_t lanes) {
    uint32_t all = warp->lanes, end = warp->pc + run->plain;
    warp->lanes = lanes;
    start_run(warp, warp->block, run, warp->pc, lanes);
    run_straight(warp, &warp->code[warp->pc], run, lanes);
    if (warp->interrupt) {
        take_back_rest(warp, lanes);
        return;
    }
    warp->lanes = all;
    warp->pc = end;
    warp->settled_at = warp->block->executed;
}

// Lanes that wait for others at a join, a member mask or a barrier, when nobody else can come.
static __attribute__((noinline)) bool release_syncs(sim_warp *warp) {
    uint32_t waiting_sync = 0, waiting_barrier = 0;
    for (uint32_t i = 0; i < warp->split_count; i++) {
        waiting_sync |= warp->splits[i].state == SIM_SPLIT_SYNC;
        waiting_barrier |= warp->splits[i].state == SIM_SPLIT_BARRIER;
    }
    if (!waiting_sync || waiting_barrier) return false;
    if (sim_split_release(warp)) return sim_split_next(warp);
    sim_fault_deadlock(warp->block, warp);
    return false;
}

// What to do when a run was interrupted. True: the time slice ends with *out_stop.
static __attribute__((noinline)) bool interrupted(sim_warp *warp, uint32_t lanes, uint32_t *spins,
                                                  sim_warp_stop *out_stop) {
    uint32_t reason = warp->interrupt;
    warp->interrupt = SIM_INTERRUPT_NONE;
    warp->last_run = NULL;
    *out_stop = SIM_WARP_FAULT;
    if (warp->block->fault.kind != SIM_OK) {
        if (reason == SIM_INTERRUPT_FAULT) take_back_rest(warp, lanes);
        return true;
    }
    if (reason == SIM_INTERRUPT_RETRY) return false;
    if (reason == SIM_INTERRUPT_GIVE_WAY) sim_split_rotate(warp);
    if (reason == SIM_INTERRUPT_DRAW || reason == SIM_INTERRUPT_GIVE_WAY) {
        *out_stop = reason == SIM_INTERRUPT_DRAW ? SIM_WARP_SPIN : SIM_WARP_QUANTUM;
        return true;
    }
    take_back_rest(warp, lanes);
    bool progress = warp->polls & SIM_POLL_CHANGED;
    warp->polls &= SIM_POLL_CHANGED;
    *spins = progress ? 0 : *spins + 1;
    bool all_spin = *spins > warp->ready_count;
    sim_split_rotate(warp);
    *out_stop = SIM_WARP_SPIN;
    return all_spin || warp->ready_count == 0;
}

static inline bool unblock(sim_warp *warp) {
    uint32_t last = warp->split_count - 1;
    bool at_barrier = warp->split_count && warp->splits[last].state == SIM_SPLIT_BARRIER;
    return warp->split_count && !at_barrier && release_syncs(warp); // mostly there is no other
}

// End of a time slice or of a launch, or a warp that does not get on.
static sim_warp_stop out_of_time(sim_warp *warp) {
    sim_block *block = warp->block;
    if (block->executed > block->limit) {
        sim_fault_runaway(block);
        return SIM_WARP_FAULT;
    }
    if (sim_block_alternates(block)) sim_split_rotate(warp);
    if (block->executed - warp->settled_at > SETTLED_INSTRUCTIONS) {
        warp->settled_at = block->executed;
        sim_split_release(warp);
        sim_split_rotate(warp);
    }
    return SIM_WARP_QUANTUM;
}

// Instructions of the time slice that has begun: up to the block's limit, so that the warp which
// exceeds it is stopped where it does.
static inline uint64_t slice_of(const sim_block *block) {
    uint64_t left = block->limit > block->slice_begun ? block->limit - block->slice_begun : 0;
    bool quiet = block->worker->watch.instructions >= QUIET_INSTRUCTIONS ||
                 block->worker->cycle.instructions >= CYCLE_INSTRUCTIONS;
    uint64_t most = quiet ? QUIET_SLICE : SLICE_INSTRUCTIONS;
    return left < most ? left + 1 : most;
}

// Does what is due in the warp's time slice after what it has executed of it. Returns the
// instructions until something is next; below 0: its slice is over.
static __attribute__((noinline)) int64_t until_mark(sim_warp *warp) {
    uint64_t done = warp->block->executed - warp->block->slice_begun, next = slice_of(warp->block);
    if (sim_warp_is_ahead(warp) || sim_block_alternates(warp->block)) return -1;
    if (done > next || !warp->counting) return (int64_t)(next - done);
    uint64_t due = sim_record_mark(&warp->record, done);
    return (int64_t)((due < next ? due : next) - done);
}

sim_warp_stop SIM_VARIANT(sim_warp_run)(sim_warp *warp) {
    sim_block *block = warp->block;
    sim_warp_stop stop;
    uint32_t spins = 0;
    warp->quantum = warp->counting ? UNMARKED_INSTRUCTIONS : (int64_t)slice_of(block);
    warp->polls = warp->far = 0;
    while (sim_split_next(warp) || unblock(warp)) {
        const uint32_t pc = warp->pc, lanes = warp->lanes;
        const sim_run *run = &warp->runs[pc];
        if (run->joins && sim_split_at_reconvergence(warp)) {
            sim_split_arrive(warp);
            continue;
        }
        if (__builtin_expect(warp->quantum < 0, 0)) {
            warp->quantum = until_mark(warp);
            if (warp->quantum < 0) return out_of_time(warp);
        }
        const sim_instr *instr = &warp->code[pc];
        const uint32_t plain = run->plain, length = start_run(warp, block, run, pc, lanes);
        if (!plain) {
            warp->last_run = NULL;
        } else {
            run_straight(warp, instr, run, lanes);
            if (__builtin_expect(warp->interrupt, 0)) {
                if (interrupted(warp, lanes, &spins, &stop)) return stop;
                continue;
            }
        }
        warp->pc = pc + length;
        if (length != plain) run_control(warp, instr + plain, lanes);
        else if (plain == 0)
            sim_control_return(warp, lanes); // ran off the end of the code: an implicit ret
        if (block->fault.kind != SIM_OK) return SIM_WARP_FAULT;
    }
    return block->fault.kind == SIM_OK ? SIM_WARP_BLOCKED : SIM_WARP_FAULT;
}
