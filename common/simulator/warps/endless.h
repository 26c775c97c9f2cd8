// SPDX-License-Identifier: MIT
// Waits and loops that cannot end: when nobody can go on any more.
#ifndef SIM_WARPS_ENDLESS_H
#define SIM_WARPS_ENDLESS_H

#include "program/program.h"
#include "warps/block.h"

// After a step: whether all threads of the block wait, or go round loops that they cannot leave
// unless another block writes memory. Of blocks that alternate, it must hold for all.
bool sim_block_is_stuck(sim_block *block);

// Of blocks that alternate, after a step of each, [count]; is_done: those that have ended. Whether
// they come back to a state of all registers and of memory again and again: locks that are taken
// and given back in each iteration of a wait for another one.
bool sim_blocks_cycle(sim_block *blocks, const bool *is_done, uint64_t count);

// Whether a warp of it goes round a loop that waits for others.
bool sim_block_polls(const sim_block *block);

// What decides the loop that lanes of a warp at `pc` of `frame` are in, and in *out_frame the call
// that it is of; NULL: they are in none.
const sim_exits *sim_warp_exits(const sim_warp *warp, const sim_frame *frame, uint32_t pc,
                                const sim_frame **out_frame);

struct sim_exits_table; // of a worker
void sim_exits_table_free(struct sim_exits_table *table);

#endif
