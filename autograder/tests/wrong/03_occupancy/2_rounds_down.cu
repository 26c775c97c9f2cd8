// SPDX-License-Identifier: MIT
// wrong-kernel: step=2 file=2_latency.cu expect=WRONG_ANSWER
// 12 warps for 12.5.
// Lab 03, step 2: warps that hide a latency (CS 677 lecture 3, "SM Warp Scheduling", "ILP vs. TLP").
//
// Why it matters: more independent instructions in a warp do what more warps do, without their registers.
#include "occupancy.h"

#define IMPLEMENTED 1

// A warp keeps its scheduler busy for issue_cycles x independent, then waits.
//   200 cycles, 4 an instruction: 4 independent ones need 200 / 16 = 12.5, so 13 warps; 8 need 6.25, so 7.
extern "C" int occupancy_step2(const occupancy_latency *cases, int64_t count, int32_t *warps) {
    if (!IMPLEMENTED) {
        return OCCUPANCY_NOT_IMPLEMENTED;
    }
    for (int64_t i = 0; i < count; i++) {
        int busy = cases[i].issue_cycles * cases[i].independent;
        warps[i] = cases[i].latency_cycles / busy * cases[i].schedulers;
    }
    return 0;
}
