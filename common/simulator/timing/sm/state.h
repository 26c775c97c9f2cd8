// SPDX-License-Identifier: MIT
// An SM while it runs: what sm.c, ready.c and events.c work on.
#ifndef SIM_TIMING_SM_STATE_H
#define SIM_TIMING_SM_STATE_H

#include "machine/cost.h"
#include "machine/issue_code.h"
#include "timing/sm/mbarriers.h"
#include "timing/sm/sm.h"
#include "timing/sm/warp_trace.h"

enum { SM_SCHEDULERS = 8, SM_WARPS = 64, SM_PART_BARRIERS = 16, SM_NEVER = UINT32_MAX };

// Slots of warps, their schedulers and what they share.
typedef struct sm {
    const sim_sm_input *input;
    sm_memory *memory;
    sm_progress *progress;
    issue_code *codes; // [functions]; function NULL: not made
    uint32_t registers, longest;
    uint32_t schedulers, slots, warps_a_block;
    sm_warp warps[SM_WARPS];
    uint32_t last[SM_SCHEDULERS], free[SM_SCHEDULERS], wake[SM_SCHEDULERS];
    uint32_t banks[SM_SCHEDULERS][SIM_REGISTER_BANKS]; // when all that was asked of them is read
    double pipe_free[SM_SCHEDULERS][ISSUE_PIPES];
    double product_ends[SM_SCHEDULERS][ISSUE_GROUP_QUEUE]; // of warp groups: the last ones, a ring
    bool group_products[SM_SCHEDULERS];                    // its tensor core has such, no others
    double product_waits[SM_SCHEDULERS];                   // cycles for them, less than one
    uint32_t products[SM_SCHEDULERS]; // number of the next, modulo ISSUE_GROUP_QUEUE
    double pipe_cycles[ISSUE_PIPES];
    double units_counted[SM_SCHEDULERS];               // cycle up to which progress->units has them
    double tensor_cycles;                              // of an H100's tensor cores one
    uint32_t live[SM_WARPS], arrived[SM_WARPS];        // by slot of a block
    sm_mbarriers mbarriers[SM_WARPS];                  // likewise
    uint32_t part_arrived[SM_WARPS][SM_PART_BARRIERS]; // likewise: threads at barriers of a part
    bool cluster_waits[SM_WARPS];                      // likewise: its warps wait for a cluster
    double copies_end;     // of the bulk copies into shared memory so far
    uint32_t start_free;   // when the card starts the next block on the SM
    uint32_t arrival_free; // when the SM can take the next warp's arrival
    uint64_t block_of[SM_WARPS];
    uint64_t next_block;
    sm_extent extent;
    timeline_recorder *timeline;    // NULL: nobody asked for one
    uint32_t issued[SM_SCHEDULERS]; // cycle after the last instruction; free[]: and its registers
    bool stopped, cut, failed;      // cut: a warp did more than is recorded
} sm;

// Whether blocks of clusters run on it.
static inline bool sm_is_of_cluster(const sm *s) {
    return sim_launch_cluster_blocks(s->input->launch) > 1;
}

// The first cycle that is not before this one.
static inline uint32_t sm_whole(double cycle) {
    uint32_t below = (uint32_t)cycle;
    return below + (below < cycle);
}

static inline uint32_t sm_not_before(uint32_t cycle, double other) {
    uint32_t end = sm_whole(other);
    return end > cycle ? end : cycle;
}

#endif
