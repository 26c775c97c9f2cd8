// SPDX-License-Identifier: MIT
// Lab 03, step 2: warps that hide a latency (CS 677 lecture 3, "SM Warp Scheduling", "ILP vs.
// TLP").
//
// Why it matters: more independent instructions in a warp do what more warps do, without their
// registers.
#include "occupancy.h"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

// A warp keeps its scheduler busy for issue_cycles x independent, then waits.
//   200 cycles, 4 per instruction: 4 independent ones need 200 / 16 = 12.5, so 13 warps; 8 need
//   6.25, so 7.
extern "C" int occupancy_step2(const occupancy_latency *cases, int64_t count, int32_t *warps) {
    if (!IMPLEMENTED) return OCCUPANCY_NOT_IMPLEMENTED;
    for (int64_t i = 0; i < count; i++) {
        // SOLUTION BEGIN
        int busy = cases[i].issue_cycles * cases[i].independent;
        warps[i] = (cases[i].latency_cycles + busy - 1) / busy * cases[i].schedulers;
        // SOLUTION TODO: how many warps a scheduler needs to be busy for latency_cycles (rounded
        // SOLUTION TODO: up), times the number of schedulers
        // SOLUTION STUB: warps[i] = 0;
    }
    return 0;
}
