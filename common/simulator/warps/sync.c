// Member masks of shfl.sync, vote.sync, match.sync, redux.sync, elect.sync and bar.warp.sync: lanes
// wait until every live lane that their mask names executes the same operation with the same mask
// (PTX ISA, "shfl.sync"), from wherever in the code. The usual case, all named lanes are here
// already, is decided without touching a split.
#include "warps/split.h"

static bool one_mask(const uint32_t *masks, uint32_t lanes, uint32_t mask) {
    uint32_t differs = 0;
    if (lanes == SIM_ALL_LANES) {
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) differs |= masks[lane] ^ mask;
        return differs == 0;
    }
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
        if (lanes >> lane & 1) differs |= masks[lane] ^ mask;
    return differs == 0;
}

static uint32_t pc_of(const sim_warp *warp, const sim_instr *instr) {
    return (uint32_t)(instr - warp->frame->function->code);
}

// The run stops before `instr`: takes back what was accounted for it and after it.
static void stop_before(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                        sim_interrupt interrupt) {
    uint32_t pc = pc_of(warp, instr);
    const sim_run *run = &warp->frame->function->bound->runs[pc];
    warp->pc = pc;
    warp->interrupt = interrupt;
    warp->run_end = instr + 1;
    warp->block->executed -= run->plain + run->control;
    if (!warp->counting) return;
    sim_uncount_run(warp->record.counts, pc, warp->lanes);
    warp->record.counts[pc].on -= (uint64_t)__builtin_popcount(warp->lanes & ~lanes);
}

// The same, and the warp's time slice ends.
static void end_before(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                       sim_interrupt interrupt) {
    const sim_run *run = &warp->frame->function->bound->runs[pc_of(warp, instr)];
    stop_before(warp, instr, lanes, interrupt);
    if (warp->record.trace) sim_warp_trace_take_back(warp->record.trace, run->plain + run->control);
}

bool sim_warp_give_way(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    warp->gave_way = !warp->gave_way && warp->block->warp_count > 1;
    if (warp->gave_way) end_before(warp, instr, lanes, SIM_INTERRUPT_GIVE_WAY);
    return !warp->gave_way;
}

bool sim_block_draw(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    sim_block *block = warp->block;
    if (block->may_draw) {
        block->may_draw = false;
        return true;
    }
    block->wants_draw = true;
    end_before(warp, instr, lanes, SIM_INTERRUPT_DRAW);
    return false;
}

bool sim_sync_part(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    uint32_t all = warp->lanes, other = 0, count = 0;
    if (all == warp->existing || !(all & ~warp->apart) || sim_lane_count(all) < 2) return false;
    for (uint32_t rest = all; rest; rest &= rest - 1)
        if (count++ % 2) other |= rest & -rest;
    warp->apart |= all;
    stop_before(warp, instr, lanes, SIM_INTERRUPT_RETRY);
    sim_split_park(warp, other, warp->pc, SIM_SPLIT_SYNC);
    sim_split_wake(warp, warp->split_count - 1);
    return true;
}

// Lanes of `lanes` whose mask names a live lane that is not here with the same mask.
static uint32_t lanes_that_wait(const sim_warp *warp, uint32_t lanes, const uint32_t *masks) {
    uint32_t waiting = 0;
    for (uint32_t rest = lanes; rest;) {
        uint32_t mask = masks[__builtin_ctz(rest)], group = 0;
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
            if (rest >> lane & 1 && masks[lane] == mask) group |= 1u << lane;
        if (mask & warp->alive & ~group) waiting |= group;
        rest &= ~group;
    }
    return waiting;
}

uint32_t sim_sync_unnamed(uint32_t lanes, const uint32_t *masks) {
    uint32_t named = 0;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) named |= masks[lane] & 1u << lane;
    return lanes & ~named;
}

// A lane that its own mask omits: an illegal instruction on an H200, unless the whole warp executes
// it with one mask.
static bool all_named(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                      const uint32_t *masks) {
    uint32_t unnamed = sim_sync_unnamed(lanes, masks);
    if (!unnamed) return true;
    uint32_t first = (uint32_t)__builtin_ctz(unnamed);
    if (lanes == warp->alive && one_mask(masks, lanes, masks[first])) return true;
    if (warp->observing) sim_observe_warp(warp, instr, lanes, masks);
    sim_fault_text(warp, instr, first, SIM_ILLEGAL_INSTRUCTION,
                   "the member mask 0x%08" PRIx32 " does not name lane %" PRIu32
                   ", which executes the instruction",
                   masks[first], first);
    return false;
}

bool sim_sync_ready(sim_warp *warp, const sim_instr *instr, uint32_t lanes, const uint32_t *masks) {
    uint32_t mask = masks[__builtin_ctz(lanes)];
    if (((mask & warp->alive) == lanes) && one_mask(masks, lanes, mask)) return true;
    if (!all_named(warp, instr, lanes, masks)) return false;
    uint32_t waiting = lanes_that_wait(warp, lanes, masks);
    if (!waiting) return true;
    stop_before(warp, instr, lanes, SIM_INTERRUPT_RETRY);
    while (waiting) {
        uint32_t group_mask = masks[__builtin_ctz(waiting)], group = 0;
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
            if (waiting >> lane & 1 && masks[lane] == group_mask) group |= 1u << lane;
        sim_split_park(warp, group, warp->pc, SIM_SPLIT_SYNC)->mask = group_mask;
        waiting &= ~group;
    }
    sim_sync_check(warp);
    return false;
}

static const sim_instr *instr_of(const sim_split *split) {
    return &split->frame->function->code[split->pc];
}

static bool same_collective(const sim_split *a, const sim_split *b) {
    const sim_instr *x = instr_of(a), *y = instr_of(b);
    return b->state == SIM_SPLIT_SYNC && a->mask == b->mask && x->op == y->op &&
           x->variant == y->variant && x->type == y->type;
}

// The collective as one instruction of its own, to be accounted with `lanes`.
static void count_one(sim_warp *warp, const sim_split *split, uint32_t lanes) {
    const sim_function *function = split->frame->function;
    const sim_run *run = &function->bound->runs[split->pc];
    warp->block->executed++;
    if (!warp->counting) return;
    const sim_function_counts *counts = sim_counts_of(warp->record.block->worker, function);
    sim_count_run(counts->by_pc, counts->ran, split->pc, lanes);
    if (run->plain + run->control > 1) sim_uncount_run(counts->by_pc, split->pc + 1, lanes);
}

// Moves one operand of some lanes between a frame and the scratch frame. Predicates are single
// words.
static void move_operand(uint8_t *to, const uint8_t *from, uint32_t lanes, uint32_t bytes) {
    if (bytes == 0) {
        uint32_t old, new;
        memcpy(&old, to, 4);
        memcpy(&new, from, 4);
        old = (old & ~lanes) | (new &lanes);
        memcpy(to, &old, 4);
        return;
    }
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
        if (lanes >> lane & 1) memcpy(to + lane * bytes, from + lane * bytes, bytes);
}

typedef struct operand_widths {
    uint32_t dst, dst2, src[4];
} operand_widths;

static operand_widths widths_of(const sim_instr *instr) {
    operand_widths widths = {.dst = 4, .dst2 = 0, .src = {4, 4, 4, 4}};
    if (sim_variant_of(instr) == SIM_VARIANT_VOTE) {
        widths.src[2] = 0;
        widths.dst = instr->variant == SIM_VOTE_BALLOT ? 4 : 0;
    }
    if (sim_variant_of(instr) == SIM_VARIANT_MATCH && (instr->type == PTX_B64)) widths.src[0] = 8;
    return widths;
}

// The same collective at different addresses, as when both sides of a branch call __syncwarp or
// __shfl_sync: operands are gathered into a scratch frame, the instruction runs there, results are
// handed back.
static void execute_gathered(sim_warp *warp, const uint32_t *group, uint32_t count,
                             uint32_t lanes) {
    const sim_instr *first = instr_of(&warp->splits[group[0]]);
    operand_widths widths = widths_of(first);
    sim_instr joint = *first;
    joint.guard = SIM_NO_SLOT;
    for (uint32_t k = 0; k < 4; k++)
        if (joint.src[k] != SIM_NO_SLOT) joint.src[k] = k * SIM_SCRATCH_SLOT_BYTES;
    if (joint.dst != SIM_NO_SLOT) joint.dst = 4 * SIM_SCRATCH_SLOT_BYTES;
    joint.dst2 = 5 * SIM_SCRATCH_SLOT_BYTES;
    for (uint32_t i = 0; i < count; i++) {
        const sim_split *split = &warp->splits[group[i]];
        const sim_instr *instr = instr_of(split);
        for (uint32_t k = 0; k < 4; k++)
            if (joint.src[k] != SIM_NO_SLOT)
                move_operand(warp->scratch + joint.src[k], split->frame->registers + instr->src[k],
                             split->lanes, widths.src[k]);
        if ((instr->mods ^ first->mods) &
            SIM_MOD_PRED_NEG_C) // vote: one place says !p, the other p
            *(uint32_t *)(warp->scratch + joint.src[2]) ^= split->lanes;
    }
    warp->registers = warp->scratch;
    joint.exec(warp, &joint, lanes);
    for (uint32_t i = 0; i < count; i++) {
        const sim_split *split = &warp->splits[group[i]];
        const sim_instr *instr = instr_of(split);
        if (instr->dst != SIM_NO_SLOT)
            move_operand(split->frame->registers + instr->dst, warp->scratch + joint.dst,
                         split->lanes, widths.dst);
        if (instr->dst2 != SIM_NO_SLOT)
            move_operand(split->frame->registers + instr->dst2, warp->scratch + joint.dst2,
                         split->lanes, widths.dst2);
    }
}

// Executes the collective of the splits in `group`, which together are all that its mask names.
static void complete(sim_warp *warp, const uint32_t *group, uint32_t count) {
    const sim_split *first = &warp->splits[group[0]];
    sim_frame *frame = warp->frame;
    uint32_t lanes = 0;
    bool one_place = true;
    for (uint32_t i = 0; i < count; i++) {
        const sim_split *split = &warp->splits[group[i]];
        lanes |= split->lanes;
        one_place = one_place && split->pc == first->pc && split->frame == first->frame;
    }
    if (one_place) {
        warp->registers = first->frame->registers;
        const sim_instr *instr = instr_of(first);
        instr->exec(warp, instr, lanes);
        count_one(warp, first, lanes);
    } else {
        execute_gathered(warp, group, count, lanes);
        for (uint32_t i = 0; i < count; i++)
            count_one(warp, &warp->splits[group[i]], warp->splits[group[i]].lanes);
    }
    warp->registers = frame ? frame->registers : NULL;
    for (uint32_t i = 0; i < count; i++) {
        warp->splits[group[i]].pc++;
        sim_split_wake(warp, group[i]);
    }
    if (count > 1) sim_split_merge_ready(warp);
}

static bool complete_one(sim_warp *warp) {
    for (uint32_t i = 0; i < warp->split_count; i++) {
        if (warp->splits[i].state != SIM_SPLIT_SYNC) continue;
        uint32_t group[SIM_WARP_LANES], count = 0, lanes = 0;
        for (uint32_t k = 0; k < warp->split_count; k++) {
            if (!same_collective(&warp->splits[i], &warp->splits[k])) continue;
            group[count++] = k;
            lanes |= warp->splits[k].lanes;
        }
        if (warp->splits[i].mask & warp->alive & ~lanes) continue;
        complete(warp, group, count);
        return true;
    }
    return false;
}

void sim_sync_check(sim_warp *warp) {
    while (complete_one(warp)) continue;
}
