// SPDX-License-Identifier: MIT
// How long the blocks of a launch, and their warps, stay on an SM, in warp instructions: for the
// achieved occupancy of counters/active_cycles.h. A warp's clock advances by the instructions that it
// executes, and by more for requests to memory when a barrier follows; at a barrier it is set to
// that of the last warp to arrive, so that waiting counts as staying. A warp leaves when it exits,
// a block with its last warp.
#ifndef SIM_WARPS_RESIDENCE_H
#define SIM_WARPS_RESIDENCE_H

#include <stdint.h>

typedef struct sim_block sim_block;
typedef struct sim_worker sim_worker;

// Of a launch.
typedef struct sim_residence {
    uint32_t *blocks;     // [block_count] by position in the schedule; NULL: not known
    uint64_t block_count; // of the grid
    uint64_t warps;       // sum of all warps' stays
} sim_residence;

// All warps for which `arrived` is not 0 have met at a barrier.
void sim_residence_meet(sim_block *block, const uint32_t *arrived);
// A block has ended.
void sim_residence_note(sim_worker *worker, const sim_block *block);

#endif
