// Block barriers: bar.sync, bar.arrive, bar.red (PTX ISA, "barrier"). As on Volta and later a
// thread arrives for itself, so a barrier inside divergent code opens when every thread has come,
// whichever way; threads that have exited are not waited for. With a thread count, a warp whose
// live lanes have all arrived counts as a full one.
#include "warps/split.h"

static __attribute__((noinline)) uint32_t counted_threads(const sim_block *block,
                                                          const sim_barrier *barrier) {
    uint32_t threads = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        uint32_t lanes = barrier->arrived[i];
        bool whole = lanes && (block->warps[i].alive & ~lanes) == 0;
        threads += whole ? SIM_WARP_LANES : sim_lane_count(lanes);
    }
    return threads + barrier->again_threads;
}

static inline bool is_complete(const sim_block *block, const sim_barrier *barrier) {
    if (barrier->expected_threads)
        return counted_threads(block, barrier) >= barrier->expected_threads;
    return barrier->arrived_threads >= block->live_threads;
}

// bar.red: hands the result to the lanes of a split that waited at one.
static __attribute__((noinline)) void write_reduction(const sim_barrier *barrier,
                                                      const sim_split *split) {
    const sim_instr *instr = &split->frame->function->code[split->pc - 1];
    uint8_t *slot = split->frame->registers + instr->dst;
    if (instr->variant < SIM_BAR_RED_POPC || instr->dst == SIM_NO_SLOT) return;
    if (instr->variant == SIM_BAR_RED_POPC) {
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
            if (split->lanes >> lane & 1) ((uint32_t *)slot)[lane] = barrier->true_threads;
        return;
    }
    bool all = instr->variant == SIM_BAR_RED_AND;
    bool result =
        all ? barrier->true_threads == barrier->arrived_threads : barrier->true_threads > 0;
    uint32_t *predicate = (uint32_t *)slot;
    *predicate = result ? *predicate | split->lanes : *predicate & ~split->lanes;
}

// A warp that has nothing but one split, which waits here, goes on at once with that.
static inline bool goes_on_whole(sim_warp *warp, const sim_barrier *barrier, uint32_t number) {
    const sim_split *split = warp->splits;
    if (warp->split_count != 1 || warp->lanes || split->state != SIM_SPLIT_BARRIER ||
        split->barrier != number || split->frame != warp->frame || barrier->reduces)
        return false;
    warp->split_count = 0;
    warp->pc = split->pc;
    warp->lanes = split->lanes;
    warp->entry = split->entry;
    warp->settled_at = warp->block->executed;
    return true;
}

static void open_for_warp(sim_warp *warp, const sim_barrier *barrier, uint32_t number) {
    uint32_t woken = 0;
    if (goes_on_whole(warp, barrier, number)) return;
    for (uint32_t i = 0; i < warp->split_count; i++) {
        sim_split *split = &warp->splits[i];
        if (split->state != SIM_SPLIT_BARRIER || split->barrier != number) continue;
        if (barrier->reduces) write_reduction(barrier, split);
        sim_split_wake(warp, i);
        woken++;
    }
    if (woken > 1) sim_split_merge_ready(warp);
}

static __attribute__((noinline)) void open_barrier(sim_block *block, uint32_t number) {
    sim_barrier *barrier = &block->barriers[number];
    if (block->warps->counting)
        sim_record_barrier(&block->record, barrier->arrived,
                           block->running ? &block->running->record : NULL,
                           block->executed - block->slice_begun);
    if (block->grid->observer) sim_observe_barrier_open(block, number);
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (barrier->arrived[i]) open_for_warp(&block->warps[i], barrier, number);
    block->waiting_splits -= barrier->waiting_splits;
    *barrier = (sim_barrier){.arrived_threads = 0};
    block->barriers_awaited &= ~(UINT32_C(1) << number);
}

// The barrier of the cluster opens for all its blocks at once.
static bool cluster_is_complete(const sim_block *block) {
    for (uint32_t i = 0; i < block->cluster_count; i++) {
        const sim_block *mate = &block->cluster[i];
        if (!is_complete(mate, &mate->barriers[SIM_CLUSTER_BARRIER])) return false;
    }
    return true;
}

static __attribute__((noinline)) void open_cluster_if_complete(sim_block *block) {
    if (!cluster_is_complete(block)) return;
    for (uint32_t i = 0; i < block->cluster_count; i++)
        open_barrier(&block->cluster[i], SIM_CLUSTER_BARRIER);
    if (block->cluster_count > 1 && block->grid->observer) sim_observe_cluster_met(block);
}

static inline void open_if_complete(sim_block *block, uint32_t number) {
    if (number == SIM_CLUSTER_BARRIER) open_cluster_if_complete(block);
    else if (is_complete(block, &block->barriers[number])) open_barrier(block, number);
}

static inline void arrive(sim_warp *warp, sim_barrier *barrier, uint32_t lanes, uint32_t number) {
    warp->block->barriers_awaited |= UINT32_C(1) << number;
    uint32_t again = barrier->arrived[warp->index] & lanes;
    if (__builtin_expect(again, 0)) barrier->again_threads += sim_lane_count(again);
    barrier->arrived[warp->index] |= lanes;
    barrier->arrived_threads += sim_lane_count(lanes);
}

static inline void wait_for_others(sim_warp *warp, sim_barrier *barrier, uint32_t lanes,
                                   uint32_t number) {
    sim_split_park(warp, lanes, warp->pc, SIM_SPLIT_BARRIER)->barrier = (uint8_t)number;
    barrier->waiting_splits++;
    warp->block->waiting_splits++;
}

void sim_barrier_sync(sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint32_t number) {
    sim_block *block = warp->block;
    sim_barrier *barrier = &block->barriers[number];
    arrive(warp, barrier, lanes, number);
    if (__builtin_expect(warp->observing, 0))
        sim_observe_barrier_arrive(warp, instr, lanes, number, 0, false);
    wait_for_others(warp, barrier, lanes, number);
    if (is_complete(block, barrier)) open_barrier(block, number);
    sim_split_next(warp);
}

void sim_barrier_arrive(sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint32_t number,
                        uint32_t threads, bool arrive_only, uint32_t true_lanes) {
    sim_block *block = warp->block;
    sim_barrier *barrier = &block->barriers[number];
    if (threads) barrier->expected_threads = threads;
    arrive(warp, barrier, lanes, number);
    if (instr->variant >= SIM_BAR_RED_POPC) {
        barrier->reduces = true;
        barrier->true_threads += sim_lane_count(lanes & true_lanes);
    }
    if (warp->observing)
        sim_observe_barrier_arrive(warp, instr, lanes, number, threads, arrive_only);
    if (!arrive_only) wait_for_others(warp, barrier, lanes, number);
    open_if_complete(block, number);
    sim_split_next(warp);
}

void sim_barrier_wait(sim_warp *warp, uint32_t lanes, uint32_t number) {
    sim_barrier *barrier = &warp->block->barriers[number];
    uint32_t waiting = lanes & barrier->arrived[warp->index];
    if (!waiting) return;
    wait_for_others(warp, barrier, waiting, number);
    sim_split_next(warp);
}

void sim_barrier_check_all(sim_block *block) {
    for (uint32_t i = 0; block->waiting_splits && i < SIM_BARRIERS;
         i++) // mostly none waits: threads
        if (block->barriers[i].waiting_splits) open_if_complete(block, i); // end after all barriers
    for (uint32_t i = 0; i < block->cluster_count; i++)
        if (block->cluster[i].barriers[SIM_CLUSTER_BARRIER].waiting_splits)
            open_if_complete(block, SIM_CLUSTER_BARRIER);
}
