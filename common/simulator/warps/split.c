// The reconvergence table and the list of splits (see warp.h for the model). Invariants:
//   - a live lane is in one of these: the running split, a listed split, or `arrived` of one point
//     of reconvergence;
//   - `expected` of such a point are the live lanes that are below it or have arrived at it;
//   - a point with expected == arrived does not persist: it has settled.
#include "warps/split.h"
#include <assert.h>

#ifndef NDEBUG
enum { CHECKED_POINTS = 256 }; // deep recursion has more: they are not walked at every branch

// The invariants above. `below`: by entry, the lanes that will come to the point or have.
static bool holds(const sim_warp *warp) {
    bool is_free[CHECKED_POINTS] = {false};
    uint32_t below[CHECKED_POINTS] = {0}, seen = 0;
    if (warp->point_count > CHECKED_POINTS) return true;
    for (uint32_t e = warp->free_point; e != SIM_ROOT_ENTRY; e = warp->points[e].parent)
        is_free[e] = true;
    for (uint32_t i = 0; i <= warp->split_count + warp->point_count; i++) {
        uint32_t point = i - warp->split_count - 1, lanes, entry;
        if (i == 0) {
            lanes = warp->lanes;
            entry = warp->entry;
        } else if (i <= warp->split_count) {
            lanes = warp->splits[i - 1].lanes;
            entry = warp->splits[i - 1].entry;
        } else {
            lanes = is_free[point] ? 0 : warp->points[point].arrived;
            entry = point;
        }
        if (lanes & seen) return false; // in two places
        seen |= lanes;
        for (; lanes && entry != SIM_ROOT_ENTRY; entry = warp->points[entry].parent)
            below[entry] |= lanes;
    }
    for (uint32_t e = 1; e < warp->point_count; e++) {
        const sim_reconvergence_point *point = &warp->points[e];
        if (is_free[e]) continue;
        if (point->expected != below[e] || point->expected == point->arrived) return false;
    }
    return seen == warp->alive;
}
#endif

static void set_running(sim_warp *warp, uint32_t pc, uint32_t lanes, uint32_t entry,
                        sim_frame *frame) {
    warp->pc = pc;
    warp->lanes = lanes;
    warp->entry = entry;
    if (warp->frame != frame) sim_warp_set_frame(warp, frame);
}

static sim_split *push(sim_warp *warp, uint32_t pc, uint32_t lanes, uint32_t entry,
                       sim_frame *frame) {
    sim_split *split = &warp->splits[warp->split_count++];
    *split = (sim_split){.pc = pc, .lanes = lanes, .entry = entry, .frame = frame};
    warp->ready_count++;
    return split;
}

static void remove_split(sim_warp *warp, uint32_t index) {
    warp->split_count--;
    memmove(&warp->splits[index], &warp->splits[index + 1],
            (warp->split_count - index) * sizeof *warp->splits);
}

// A point for the caller to fill where it is: a copy of one that was filled member by member would
// wait for these narrower stores. NULL: no memory.
static sim_reconvergence_point *new_point(sim_warp *warp, uint32_t *out_entry) {
    uint32_t entry = warp->free_point;
    if (entry != SIM_ROOT_ENTRY) {
        warp->free_point = warp->points[entry].parent;
    } else {
        if (warp->point_count == warp->point_capacity &&
            !sim_reserve(&warp->points, &warp->point_capacity, warp->point_count,
                         sizeof *warp->points)) {
            sim_fault_memory(warp);
            return NULL;
        }
        entry = warp->point_count++;
    }
    *out_entry = entry;
    return &warp->points[entry];
}

bool sim_split_reset(sim_warp *warp, sim_frame *frame) {
    warp->split_count = warp->ready_count = 0;
    warp->point_count = 0;
    warp->free_point = SIM_ROOT_ENTRY;
    uint32_t root;
    sim_reconvergence_point *point = new_point(warp, &root);
    if (!point) return false;
    *point =
        (sim_reconvergence_point){.pc = SIM_PC_EXIT, .expected = warp->existing, .frame = frame};
    warp->frame = NULL;
    set_running(warp, 0, warp->existing, root, frame);
    return true;
}

static void free_point(sim_warp *warp, uint32_t entry) {
    warp->points[entry].parent = warp->free_point;
    warp->points[entry].pc = SIM_PC_EXIT;
    warp->free_point = entry;
}

// Ends a reconvergence point that everyone expected has reached, or from which all have gone.
static void settle(sim_warp *warp, uint32_t entry) {
    sim_reconvergence_point point = warp->points[entry];
    if (entry == SIM_ROOT_ENTRY || point.expected != point.arrived) return;
    free_point(warp, entry);
    sim_frame *frame = point.is_call ? point.frame->caller : point.frame;
    uint32_t pc = point.is_call ? point.frame->return_pc : point.pc;
    if (point.arrived) push(warp, pc, point.arrived, point.parent, frame);
    if (point.is_call) sim_frame_give(warp, point.frame);
}

static bool meet_at(sim_warp *warp, uint32_t reconverge) {
    if (reconverge == SIM_PC_EXIT) return true; // nothing before the end of the function
    if (warp->points[warp->entry].pc == reconverge) return true; // a loop's next divergent exit
    uint32_t parent = warp->entry;
    sim_reconvergence_point *point = new_point(warp, &warp->entry);
    if (!point) return false;
    *point = (sim_reconvergence_point){
        .pc = reconverge, .expected = warp->lanes, .parent = parent, .frame = warp->frame};
    return true;
}

bool sim_split_diverge(sim_warp *warp, uint32_t taken, uint32_t target, uint32_t reconverge) {
    if (warp->block->grid->lanes_apart) reconverge = SIM_PC_EXIT;
    if (!meet_at(warp, reconverge)) return false;
    warp->settled_at = warp->block->executed;
    if (target == reconverge) warp->points[warp->entry].arrived |= taken;
    else push(warp, target, taken, warp->entry, warp->frame);
    warp->lanes &= ~taken;
    if (warp->pc == reconverge) sim_split_arrive(warp);
    assert(holds(warp));
    return true;
}

bool sim_split_diverge_many(sim_warp *warp, const uint32_t targets[SIM_WARP_LANES],
                            uint32_t reconverge) {
    if (warp->block->grid->lanes_apart) reconverge = SIM_PC_EXIT;
    uint32_t first = targets[__builtin_ctz(warp->lanes)];
    uint32_t rest = 0;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
        if (warp->lanes >> lane & 1 && targets[lane] != first) rest |= 1u << lane;
    if (rest && !meet_at(warp, reconverge)) return false;
    warp->settled_at = warp->block->executed;
    warp->pc = first;
    warp->lanes &= ~rest;
    while (rest) {
        uint32_t target = targets[__builtin_ctz(rest)], group = 0;
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
            if (rest >> lane & 1 && targets[lane] == target) group |= 1u << lane;
        if (target == reconverge) warp->points[warp->entry].arrived |= group;
        else push(warp, target, group, warp->entry, warp->frame);
        rest &= ~group;
    }
    assert(holds(warp));
    return true;
}

void sim_split_arrive(sim_warp *warp) {
    sim_reconvergence_point *point = &warp->points[warp->entry];
    warp->settled_at = warp->block->executed;
    point->arrived |= warp->lanes;
    if (point->arrived == point->expected) { // the last: all go on, as the newest split
        warp->lanes = point->arrived;
        uint32_t entry = warp->entry;
        warp->entry = point->parent;
        free_point(warp, entry);
        assert(holds(warp));
        return;
    }
    warp->lanes = 0;
    sim_split_next(warp);
    assert(holds(warp));
}

bool sim_split_separate(sim_warp *warp, uint32_t group, uint32_t again, uint32_t call_pc) {
    if (!meet_at(warp, warp->pc)) return false;
    warp->points[warp->entry].arrived |= warp->lanes & ~(group | again);
    if (again) push(warp, call_pc, again, warp->entry, warp->frame);
    warp->lanes = group;
    assert(holds(warp));
    return true;
}

bool sim_split_call(sim_warp *warp, sim_frame *callee) {
    uint32_t lanes = warp->lanes;
    callee->caller = warp->frame;
    callee->return_pc = warp->pc;
    uint32_t entry;
    sim_reconvergence_point *point = new_point(warp, &entry);
    if (!point) return false;
    *point = (sim_reconvergence_point){.pc = SIM_PC_EXIT,
                                       .expected = lanes,
                                       .parent = warp->entry,
                                       .is_call = true,
                                       .frame = callee};
    set_running(warp, 0, lanes, entry, callee);
    assert(holds(warp));
    return true;
}

// Takes `lanes` out of the reconvergence points from `entry` up to, but not including, `stop`.
static void leave(sim_warp *warp, uint32_t lanes, uint32_t entry, uint32_t stop) {
    while (entry != stop) {
        uint32_t parent = warp->points[entry].parent;
        warp->points[entry].expected &= ~lanes;
        settle(warp, entry);
        entry = parent;
    }
}

void sim_split_return(sim_warp *warp, uint32_t lanes) {
    uint32_t call = warp->entry;
    while (!warp->points[call].is_call) call = warp->points[call].parent;
    uint32_t entry = warp->entry;
    warp->lanes &= ~lanes;
    warp->settled_at = warp->block->executed;
    leave(warp, lanes, entry, call);
    warp->points[call].arrived |= lanes;
    settle(warp, call);
    sim_split_next(warp);
    assert(holds(warp));
}

void sim_split_exit(sim_warp *warp, uint32_t lanes) {
    warp->alive &= ~lanes;
    warp->lanes &= ~lanes;
    warp->settled_at = warp->block->executed;
    warp->block->live_threads -= sim_lane_count(lanes);
    leave(warp, lanes, warp->entry, SIM_ROOT_ENTRY);
    warp->points[SIM_ROOT_ENTRY].expected &= ~lanes;
    sim_sync_check(warp);
    sim_barrier_check_all(warp->block);
    sim_split_next(warp);
    assert(holds(warp));
}

static bool same_place(const sim_split *a, const sim_split *b) {
    return a->state == SIM_SPLIT_READY && b->state == SIM_SPLIT_READY && a->pc == b->pc &&
           a->entry == b->entry && a->frame == b->frame;
}

void sim_split_merge_ready(sim_warp *warp) {
    for (uint32_t i = 0; i < warp->split_count; i++) {
        for (uint32_t k = warp->split_count - 1; k > i; k--) {
            if (!same_place(&warp->splits[i], &warp->splits[k])) continue;
            warp->splits[i].lanes |= warp->splits[k].lanes;
            remove_split(warp, k);
            warp->ready_count--;
        }
    }
}

bool sim_split_resume(sim_warp *warp) {
    uint32_t last = warp->split_count - 1, index = last;
    while (warp->splits[index].state != SIM_SPLIT_READY) index--;
    sim_split split = warp->splits[index];
    if (index == last) warp->split_count--;
    else remove_split(warp, index);
    warp->ready_count--;
    set_running(warp, split.pc, split.lanes, split.entry, split.frame);
    return true;
}

void sim_split_rotate(sim_warp *warp) {
    if (!warp->lanes || warp->ready_count == 0) return;
    memmove(&warp->splits[1], &warp->splits[0], warp->split_count * sizeof *warp->splits);
    warp->splits[0] = (sim_split){
        .pc = warp->pc, .lanes = warp->lanes, .entry = warp->entry, .frame = warp->frame};
    warp->split_count++;
    warp->ready_count++;
    warp->lanes = 0;
    sim_split_next(warp);
}

static uint32_t depth_of(const sim_warp *warp, uint32_t entry) {
    uint32_t depth = 0;
    for (; entry != SIM_ROOT_ENTRY; entry = warp->points[entry].parent) depth++;
    return depth;
}

// The entries on the free list have arrived == 0 only if cleared, so liveness is told by expected
// != arrived.
bool sim_split_release(sim_warp *warp) {
    uint32_t best = SIM_ROOT_ENTRY, best_depth = 0;
    for (uint32_t entry = 1; entry < warp->point_count; entry++) {
        const sim_reconvergence_point *point = &warp->points[entry];
        if (point->arrived == 0 || point->arrived == point->expected) continue;
        uint32_t depth = depth_of(warp, entry);
        if (depth <= best_depth) continue;
        best = entry;
        best_depth = depth;
    }
    if (best == SIM_ROOT_ENTRY) return false;
    sim_reconvergence_point *point = &warp->points[best];
    uint32_t lanes = point->arrived;
    point->expected &= ~lanes;
    point->arrived = 0;
    bool call = point->is_call;
    push(warp, call ? point->frame->return_pc : point->pc, lanes, point->parent,
         call ? point->frame->caller : point->frame);
    warp->settled_at = warp->block->executed;
    assert(holds(warp));
    return true;
}
