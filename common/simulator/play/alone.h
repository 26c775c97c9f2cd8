// SPDX-License-Identifier: MIT
// Plays of one block when nothing else is on the card: what its warps take for their own work.
#ifndef SIM_PLAY_ALONE_H
#define SIM_PLAY_ALONE_H

#include "play/sm.h"

// Cycles until the end of what `extent` tells to play; 0: no memory.
double play_alone(const sim_play_launch *launch, const play_extent *extent);

// The same of one block that need not be among the recorded ones. warps: that it has; runs: played
// of each.
double play_block_alone(const sim_play_launch *launch, const sim_block_path *block, uint32_t warps,
                        uint32_t runs);

#endif
