// SPDX-License-Identifier: MIT
// Part of the trace of a warp that goes on long after the others, for the cycle-level model: the
// blocks whose traces are recorded seldom have such a warp, and the traces end before its end. In
// each time slice recording begins at marks of which each is twice as far as the one before, and
// only if no warp has been followed so far. The farthest mark is kept, and of warps that came as
// far the first one.
#ifndef SIM_RECORD_LATE_WARP_H
#define SIM_RECORD_LATE_WARP_H

#include "record/warp_trace.h"

// What a warp did from a mark on.
typedef struct sim_late_warp {
    sim_warp_trace trace; // what followed
    uint64_t after;       // the mark, in instructions of the time slice; 0: no warp came to one
    uint64_t block;       // whose warp it is
} sim_late_warp;

// Of one worker.
typedef struct sim_late_warps {
    sim_late_warp kept, begun; // begun.after 0: none is recorded now
    uint64_t next;             // mark of the present time slice
    sim_warp_trace *own;       // of the warp that is followed, apart from that; NULL: none
} sim_late_warps;

#endif
