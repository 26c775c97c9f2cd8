// SPDX-License-Identifier: MIT
// Runs of one block with nothing else on the card: what its warps take for their own work.
#ifndef SIM_TIMING_SM_SINGLE_BLOCK_H
#define SIM_TIMING_SM_SINGLE_BLOCK_H

#include "timing/sm/sm.h"

// Cycles until the end of what `extent` tells to run; 0: no memory.
double extent_cycles(const sim_sm_launch *launch, const sm_extent *extent);

// The same of one block that need not be among the recorded ones. warps: that it has; runs: of
// each.
double single_block_cycles(const sim_sm_launch *launch, const sim_traced_block *block,
                           uint32_t warps, uint32_t runs);

#endif
