// SPDX-License-Identifier: MIT
// One SM of a play: its schedulers and warps, cycle by cycle.
#ifndef SIM_TIMING_SM_SM_H
#define SIM_TIMING_SM_SM_H

#include "timing/sm/memory.h"
#include "timing/timeline/recorder.h"

// How far a play came.
typedef struct sm_progress {
    double started;  // cycle at which the last recorded block began
    double refilled; // at which the first block began in the place of another; 0: none
    double at_started, at_refilled; // instructions that were played until then
    double marks[2], at_marks[2];   // cycles in the first half of the play, or none, and later;
                                    // likewise
    double drained;                 // at which the last one of those ended; 0: none did
    double end;                     // cycle of the last event
    double instructions;            // played; as the PTX counts them
    bool complete;                  // all recorded blocks came to their ends
} sm_progress;

// How much is played. More may have been recorded, for a timeline.
typedef struct sm_extent {
    uint32_t resident; // blocks on the SM at once
    uint32_t recorded; // blocks to play, at least `resident`
    uint32_t runs;     // of a warp
    uint64_t blocks;   // that the SM gets in all
    uint32_t first;    // recorded block to begin with; numbers as of sim_warp_traces_modelled
    bool alone;        // no other SM works
    bool whenever;     // what it finds in the caches is that of all of the launch's time
    timeline_recorder *timeline; // NULL: nobody asked for one
} sm_extent;

// Plays the recorded blocks. False: no memory.
bool sm_run(const sim_sm_launch *launch, sm_memory *memory, const sm_extent *extent,
            sm_progress *out_progress);

#endif
