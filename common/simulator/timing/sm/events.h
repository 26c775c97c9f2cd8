// SPDX-License-Identifier: MIT
// Bulk copies, mbarriers and barriers of a part of a block on an SM, as the traces of warps tell of
// them (sim_traced_kind).
#ifndef SIM_TIMING_SM_EVENTS_H
#define SIM_TIMING_SM_EVENTS_H

#include "timing/sm/state.h"

// An operation with events, begun at `now`. Returns when its warp goes on, not before `after`;
// SM_NEVER: when the phase of an mbarrier ends.
uint32_t sm_pass_events(sm *s, uint32_t slot, const issue_op *op, uint32_t now, uint32_t after);
// When the operation can start as far as bulk copies go: one that releases to the cluster is first
// a fence of the block, which waits for the copies into shared memory that are under way.
uint32_t sm_release_ready(const sm *s, sm_warp *warp, const issue_op *op, uint32_t now);
// When the SM has taken a warp's arrival at a barrier.
uint32_t sm_take_arrival(sm *s, uint32_t now);
// Opens barrier `number` of parts of the group's block for the warps that wait there. False: none.
bool sm_open_part(sm *s, uint32_t group, uint32_t number, uint32_t now);
// Groups of bulk copies to global memory, committed or waited for: likewise.
uint32_t sm_pass_stores(sm_warp *warp, const sim_instr *instr, uint32_t after);
// If all warps of the block wait for what the traces do not tell of, such as what other blocks of
// the cluster send: it comes now.
void sm_open_stuck(sm *s, uint32_t group, uint32_t now);

#endif
