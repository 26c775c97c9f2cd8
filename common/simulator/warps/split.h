// Divergence and reconvergence: how branches, reconvergence points, calls, exits and waits change
// the splits of a warp. Only lanes are tracked here; no instruction is executed.
#pragma once

#include "warps/block.h"

// ---- split.c ------------------------------------------------------------------------------------

// Sets the warp to one split: all existing lanes at pc 0 of `frame`.
bool sim_split_reset(sim_warp *warp, sim_frame *frame);

// The running split branches: `taken` (a proper, non-empty part of its lanes) go to `target`, the
// others to warp->pc; all meet at `reconverge`. The fall-through side keeps running.
bool sim_split_diverge(sim_warp *warp, uint32_t taken, uint32_t target, uint32_t reconverge);
// The same with a target per lane (brx.idx): targets[lane] for every lane of the running split.
bool sim_split_diverge_many(sim_warp *warp, const uint32_t targets[SIM_WARP_LANES],
                            uint32_t reconverge);
// True when the running split is at its reconvergence point.
static inline bool sim_split_at_reconvergence(const sim_warp *warp) {
    return warp->points[warp->entry].pc == warp->pc;
}
// The running split arrives at its reconvergence point. The last one to arrive continues with all
// lanes; before that, another split becomes the running one.
void sim_split_arrive(sim_warp *warp);

// The running split calls: its lanes continue in `callee` at pc 0 and reconverge at warp->pc of the
// present frame.
bool sim_split_call(sim_warp *warp, sim_frame *callee);
// Before a call that only some lanes of the running split make, or that calls different functions:
// `group` stays the running split, `again` executes the call at `call_pc` later, the other lanes
// wait after the call.
bool sim_split_separate(sim_warp *warp, uint32_t group, uint32_t again, uint32_t call_pc);
// `lanes` of the running split have returned (results are copied already).
void sim_split_return(sim_warp *warp, uint32_t lanes);
// `lanes` of the running split exit.
void sim_split_exit(sim_warp *warp, uint32_t lanes);

// Moves `lanes` of the running split into a waiting split at `pc`; the others keep running.
static inline sim_split *sim_split_park(sim_warp *warp, uint32_t lanes, uint32_t pc,
                                        sim_split_state state) {
    sim_split *split = &warp->splits[warp->split_count++];
    *split = (sim_split){.pc = pc,
                         .lanes = lanes,
                         .entry = warp->entry,
                         .state = (uint8_t)state,
                         .frame = warp->frame};
    warp->lanes &= ~lanes;
    warp->settled_at = warp->block->executed;
    return split;
}
// Makes splits[index] ready.
static inline void sim_split_wake(sim_warp *warp, uint32_t index) {
    warp->splits[index].state = SIM_SPLIT_READY;
    warp->ready_count++;
    warp->settled_at = warp->block->executed;
}
// Merges ready splits that have the same program counter and reconvergence point.
void sim_split_merge_ready(sim_warp *warp);
// Makes the newest ready split the running one; there must be one. Returns true.
bool sim_split_resume(sim_warp *warp);
// The same, unless a split runs. False: none is ready.
static inline bool sim_split_next(sim_warp *warp) {
    return warp->lanes || (warp->ready_count && sim_split_resume(warp));
}
// Makes the running split the last of all.
void sim_split_rotate(sim_warp *warp);
// Lanes that wait at the innermost reconvergence point continue without the others. False: none
// wait.
bool sim_split_release(sim_warp *warp);

// ---- control.c ----------------------------------------------------------------------------------
// Calls, returns and exits: moving arguments and results between frames. Branches are in
// ops/control.c, the bookkeeping of lanes in split.h.

// `lanes` of the running split call the function or built-in that `instr` names.
void sim_control_call(sim_warp *warp, const sim_instr *instr, uint32_t lanes);
// `lanes` return from the running frame's function; from an entry they exit.
void sim_control_return(sim_warp *warp, uint32_t lanes);
void sim_control_exit(sim_warp *warp, const sim_instr *instr, uint32_t lanes);

// The stack of each thread (frame.c): its maximum size, and the top for `lanes` of a frame.
uint64_t sim_stack_limit(const sim_warp *warp);
uint32_t sim_stack_top(const sim_frame *frame, uint32_t lanes);
void sim_stack_allocate(sim_warp *warp, const sim_instr *instr, uint32_t lanes);
void sim_stack_save(sim_warp *warp, const sim_instr *instr, uint32_t lanes);
void sim_stack_restore(sim_warp *warp, const sim_instr *instr, uint32_t lanes);

// ---- endless.c ----------------------------------------------------------------------------------
// Waits and loops that cannot end.

// After a step: whether every thread of the block waits, or runs a loop that it cannot leave before
// another block writes memory. Blocks that alternate are stuck when this holds for all.
bool sim_block_is_stuck(sim_block *block);

// blocks: [count], which alternate, after a step of each; is_done: [count], which of them have
// ended. Whether the state of all registers and of memory repeats: threads acquire and release
// locks in each iteration of a loop that waits for another lock.
bool sim_blocks_cycle(sim_block *blocks, const bool *is_done, uint64_t count);

// Whether a warp of the block runs a loop that waits for others.
bool sim_block_polls(const sim_block *block);

// The exits of the loop that lanes of a warp at `pc` of `frame` are in, and in *out_frame the frame
// of the loop; NULL: they are in no loop.
const sim_exits *sim_warp_exits(const sim_warp *warp, const sim_frame *frame, uint32_t pc,
                                const sim_frame **out_frame);

struct sim_exits_table; // of a worker
void sim_exits_table_free(struct sim_exits_table *table);
