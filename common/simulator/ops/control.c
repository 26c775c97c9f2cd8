// Control flow: branches, calls, returns, exits, block barriers, fences, and what only takes time
// (PTX ISA, "Control Flow Instructions" and "Parallel Synchronization"). A handler of a control
// instruction finds warp->pc behind it and leaves it where the running split goes on; warps/split.h
// does the bookkeeping of lanes.
#include "warps/split.h"
#include "ops/ops.h"
#include "warps/lanes.h"

static void count_divergence(sim_warp *warp, uint32_t pc) {
    if (warp->counting) warp->record.counts[pc].divergent++;
}

// ---- branches ----

// Where one side of a branch is straight code up to where both meet, it is executed at once: that
// gives what two splits and their reconvergence point would give. False: it is no such branch.
static bool skip_for_some(sim_warp *warp, const sim_instr *instr, uint32_t skipping) {
    const sim_run *run = &warp->runs[warp->pc];
    if (instr->target != instr->reconverge || run->joins || run->control || run->waits ||
        warp->pc + run->plain != instr->target || warp->quantum < 0 ||
        warp->points[warp->entry].pc == instr->target)
        return false;
    SIM_VARIANT(sim_run_some)(warp, run, warp->lanes & ~skipping);
    return true;
}

HANDLER(bra) {
    if (lanes == warp->lanes) {
        warp->pc = instr->target;
        return;
    }
    count_divergence(warp, warp->pc - 1);
    if (skip_for_some(warp, instr, lanes)) return;
    sim_split_diverge(warp, lanes, instr->target, instr->reconverge);
}
BIND(BRA) {
    (void)instr;
    return bra;
}

HANDLER(brx) {
    const sim_function *function = warp->frame->function;
    SRC(uint32_t, index, 0);
    uint32_t targets[SIM_WARP_LANES] = {0}, first = UINT32_MAX;
    bool diverges = false;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
        if (!(warp->lanes >> lane & 1)) continue;
        bool on = lanes >> lane & 1;
        if (on && index[lane] >= instr->target_count) {
            sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                           "jump table index %u, the table has %u targets", index[lane],
                           instr->target_count);
            return;
        }
        targets[lane] = on ? function->slots[instr->target + index[lane]] : warp->pc;
        diverges |= first != UINT32_MAX && targets[lane] != first;
        first = targets[lane];
    }
    if (diverges) count_divergence(warp, warp->pc - 1);
    sim_split_diverge_many(warp, targets, instr->reconverge);
}
BIND(BRX) {
    (void)instr;
    return brx;
}

// ---- calls and ends of functions ----

HANDLER(call) { sim_control_call(warp, instr, lanes); }
BIND(CALL) {
    (void)instr;
    return call;
}

HANDLER(ret) {
    (void)instr;
    sim_control_return(warp, lanes);
}
BIND(RET) {
    (void)instr;
    return ret;
}

HANDLER(exit_lanes) { sim_control_exit(warp, instr, lanes); }
BIND(EXIT) {
    (void)instr;
    return exit_lanes;
}

// What cooperative groups do when the grid has no barrier.
static bool lacks_grid_barrier(const sim_warp *warp) {
    const sim_grid *grid = warp->block->grid;
    const sim_function *function = warp->frame->function;
    for (uint32_t i = 0; !grid->launch->config.cooperative && i < function->special_count; i++)
        if (function->specials[i].id == SIM_SPECIAL_ENVREG1) return true;
    return false;
}

HANDLER(trap) {
    if (lacks_grid_barrier(warp)) {
        sim_fault_text(warp, instr, (uint32_t)__builtin_ctz(lanes), SIM_TRAP,
                       "the grid has no barrier, for the launch is not cooperative: grid.sync() "
                       "needs cudaLaunchCooperativeKernel(), which also makes sure that all blocks "
                       "run at the same time");
        return;
    }
    sim_fault_text(warp, instr, (uint32_t)__builtin_ctz(lanes), SIM_TRAP, "%s instruction executed",
                   instr->op == SIM_OP_TRAP ? "trap" : "breakpoint");
}
BIND(TRAP) {
    (void)instr;
    return trap;
}
BIND(BRKPT) {
    (void)instr;
    return trap;
}

// ---- block barriers ----

// Of a part of the block, for the cycle-level model. Lanes that have exited need not come.
static void trace_barrier(sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint32_t number,
                          uint32_t threads) {
    uint32_t arrive = warp->alive & ~lanes ? sim_lane_count(lanes) : SIM_WARP_LANES;
    sim_record_event(&warp->record, instr,
                     (sim_traced_line){.kind = SIM_TRACED_BARRIER,
                                       .line = threads,
                                       .sectors = (uint8_t)arrive,
                                       .wavefronts = (uint16_t)number});
}

HANDLER(bar_any) {
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    uint32_t number = SLOT(const uint32_t, instr->src[0])[first];
    uint32_t threads =
        instr->src[1] == SIM_NO_SLOT ? 0 : SLOT(const uint32_t, instr->src[1])[first];
    if (number >= SIM_BARRIERS) {
        sim_fault_text(warp, instr, first, SIM_ILLEGAL_INSTRUCTION, "barrier %u, a block has %d",
                       number, SIM_BARRIERS);
        return;
    }
    if (threads % SIM_WARP_LANES != 0 || threads > SIM_MAX_WARPS * SIM_WARP_LANES) {
        sim_fault_text(warp, instr, first, SIM_ILLEGAL_INSTRUCTION,
                       "a barrier of %u threads: the number must be a multiple of %d", threads,
                       SIM_WARP_LANES);
        return;
    }
    if (instr->src[1] != SIM_NO_SLOT) trace_barrier(warp, instr, lanes, number, threads);
    uint32_t is_true = instr->variant >= SIM_BAR_RED_POPC ? read_predicate_c(warp, instr) : 0;
    sim_barrier_arrive(warp, instr, lanes, number, threads, instr->variant == SIM_BAR_ARRIVE,
                       is_true);
}
// bar.sync of the whole block: mostly __syncthreads().
HANDLER(bar_sync) {
    uint32_t number = SLOT(const uint32_t, instr->src[0])[__builtin_ctz(lanes)];
    if (number < SIM_BARRIERS) sim_barrier_sync(warp, instr, lanes, number);
    else bar_any(warp, instr, lanes);
}
BIND(BAR) {
    bool whole = instr->variant == SIM_BAR_SYNC && instr->src[1] == SIM_NO_SLOT;
    return whole ? bar_sync : bar_any;
}

// The cluster of a block is the block itself.
HANDLER(bar_cluster) {
    if (instr->variant == SIM_BAR_ARRIVE)
        sim_barrier_arrive(warp, instr, lanes, SIM_CLUSTER_BARRIER, 0, true, 0);
    else sim_barrier_wait(warp, lanes, SIM_CLUSTER_BARRIER);
}
BIND(BAR_CLUSTER) {
    (void)instr;
    return bar_cluster;
}

// ---- fences and time ----

// Lanes run in lock step and memory is never stale, so a fence orders nothing; one that other
// blocks can notice waits until all earlier blocks have finished.
HANDLER(fence) {
    if (instr->scope != SIM_FENCE_CTA && !sim_block_order(warp->block)) {
        sim_fault_text(warp, instr, (uint32_t)__builtin_ctz(lanes), SIM_INTERNAL,
                       "stopped because an earlier block failed");
        return;
    }
    if (instr->scope != SIM_FENCE_CTA) warp->record.fences++;
    warp->far = 0;
    if (warp->observing) sim_observe_sync(warp, instr, SIM_SYNC_FENCE, lanes);
}
BIND(FENCE) {
    (void)instr;
    return fence;
}

enum { CYCLES_PER_MICROSECOND_DIVISOR = 1000 };

// No poll: a loop that sleeps until a clock has advanced makes progress.
HANDLER(nanosleep) {
    SRC(uint32_t, ns, 0);
    uint64_t longest = 0;
    for (int lane = 0; lane < SIM_WARP_LANES; lane++)
        if (lanes >> lane & 1 && ns[lane] > longest) longest = ns[lane];
    warp->block->slept +=
        longest * warp->block->grid->launch->device->clock_mhz / CYCLES_PER_MICROSECOND_DIVISOR;
}
BIND(NANOSLEEP) {
    (void)instr;
    return nanosleep;
}

HANDLER(nothing) {
    (void)warp;
    (void)instr;
    (void)lanes;
}
BIND(NOP) {
    (void)instr;
    return nothing;
}
BIND(PREFETCH) {
    (void)instr;
    return nothing;
}

// ---- the stack ----

HANDLER(stack) {
    if (instr->op == SIM_OP_ALLOCA) sim_stack_allocate(warp, instr, lanes);
    else if (instr->op == SIM_OP_STACKSAVE) sim_stack_save(warp, instr, lanes);
    else sim_stack_restore(warp, instr, lanes);
}
BIND(ALLOCA) {
    (void)instr;
    return stack;
}
BIND(STACKSAVE) {
    (void)instr;
    return stack;
}
BIND(STACKRESTORE) {
    (void)instr;
    return stack;
}
