// SPDX-License-Identifier: MIT
// The mbarriers of a block, as the traces of its warps tell of them (record/warp_trace.h): which
// phase each is in, and when the last one ended.
#ifndef SIM_TIMING_SM_MBARRIERS_H
#define SIM_TIMING_SM_MBARRIERS_H

#include <stdbool.h>
#include <stdint.h>

enum { SM_MBARRIERS = 32 }; // of a block; others let everyone pass

// What is known of one.
typedef struct sm_mbarrier {
    uint32_t name;              // its offset + 1; 0: there is none
    uint32_t wanted, per_phase; // arrivals: still wanted in this phase, and wanted in each
    int64_t bytes;              // still expected
    bool parity;                // of the present phase
    double latest;              // cycle of its last arrival or bytes so far
    double ended;               // cycle at which the phase before ended
} sm_mbarrier;

// Those of a block.
typedef struct sm_mbarriers {
    sm_mbarrier of[SM_MBARRIERS]; // in the order in which they were initialised
} sm_mbarriers;

// The one of this offset; NULL: it was not initialised.
sm_mbarrier *sm_mbarrier_at(sm_mbarriers *all, uint32_t offset);
// Makes one, or makes it anew.
void sm_mbarrier_init(sm_mbarriers *all, uint32_t offset, uint32_t arrivals);
// At `cycle` threads arrive, and bytes are expected (below 0: they have come). True: the phase has
// ended.
bool sm_mbarrier_change(sm_mbarrier *barrier, uint32_t arrivals, int64_t bytes, double cycle);
// The phase ends without what it still waits for.
void sm_mbarrier_end(sm_mbarrier *barrier, double cycle);

#endif
