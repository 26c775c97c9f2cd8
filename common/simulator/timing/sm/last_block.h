// SPDX-License-Identifier: MIT
// What the last block of a launch does when all others have ended, as a reduction in one
// launch has it: each block asks by an atomic whether it is the last one.
#ifndef SIM_TIMING_SM_LAST_BLOCK_H
#define SIM_TIMING_SM_LAST_BLOCK_H

#include "timing/sm/launch_time.h"

// Cycles that the launch lasts longer for its last block: by so many that block takes longer than
// the last one of the `recorded` blocks, if it is none of these and executes code that no other
// block does, and all of them an atomic whose result is read. 0: there is no such block, or no
// memory. runs: of a warp.
double last_block_cycles(const sim_sm_launch *launch, uint32_t recorded, uint32_t runs);

#endif
