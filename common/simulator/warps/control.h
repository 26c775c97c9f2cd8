// SPDX-License-Identifier: MIT
// Calls, returns and exits: moving arguments and results between frames. Branches are in
// ops/control.c, the bookkeeping of lanes in split.h.
#ifndef SIM_WARPS_CONTROL_H
#define SIM_WARPS_CONTROL_H

#include "warps/block.h"

// `lanes` of the running split call the function or built-in that `instr` names.
void sim_control_call(sim_warp *warp, const sim_instr *instr, uint32_t lanes);
// `lanes` return from the running frame's function; from an entry they exit.
void sim_control_return(sim_warp *warp, uint32_t lanes);
void sim_control_exit(sim_warp *warp, const sim_instr *instr, uint32_t lanes);

// The stack of each thread (stack.c): its greatest size, and the top for `lanes` of a frame.
uint64_t sim_stack_limit(const sim_warp *warp);
uint32_t sim_stack_top(const sim_frame *frame, uint32_t lanes);
void sim_stack_allocate(sim_warp *warp, const sim_instr *instr, uint32_t lanes);
void sim_stack_save(sim_warp *warp, const sim_instr *instr, uint32_t lanes);
void sim_stack_restore(sim_warp *warp, const sim_instr *instr, uint32_t lanes);

#endif
