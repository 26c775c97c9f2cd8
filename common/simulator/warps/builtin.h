// SPDX-License-Identifier: MIT
// What the handlers of built-in functions share (builtin.c: printf, assert, the heap;
// device_runtime.c: the runtime's calls in device code). Private to these two files.
#ifndef SIM_WARPS_BUILTIN_H
#define SIM_WARPS_BUILTIN_H

#include "warps/block.h"

// Handlers act for one lane.
#define SIM_BUILTIN(name, handler, uses)                                                           \
    void sim_builtin_##handler(sim_warp *warp, const sim_instr *instr, uint32_t lane);
#include "program/builtins.def"
#undef SIM_BUILTIN

// The argument or result as a number of up to 8 bytes.
uint64_t sim_builtin_argument(const sim_warp *warp, const sim_call *call, uint32_t index,
                              uint32_t lane);
void sim_builtin_return(sim_warp *warp, const sim_call *call, uint32_t lane, uint64_t value);
// Waits for earlier blocks; false: the launch has failed in one of them.
bool sim_builtin_in_order(sim_warp *warp, const sim_instr *instr, uint32_t lane);

#endif
