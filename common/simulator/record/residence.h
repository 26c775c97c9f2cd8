// SPDX-License-Identifier: MIT
// How long the blocks of a launch, and their warps, stay on an SM, in warp instructions, for the
// achieved occupancy. A warp's clock advances by the instructions that it executes, and by more for
// requests to memory when a barrier follows; at a barrier it is set to that of the last warp to
// arrive, so that waiting counts as staying. A warp leaves when it exits, a block with its last
// warp.
#ifndef SIM_RECORD_RESIDENCE_H
#define SIM_RECORD_RESIDENCE_H

#include <stdint.h>

// Of a launch.
typedef struct sim_residence {
    uint32_t *blocks;     // [block_count] by position in the schedule; NULL: not known
    uint64_t block_count; // of the grid
    uint64_t warps;       // sum of all warps' stays
} sim_residence;

#endif
