// SPDX-License-Identifier: MIT
// One SM of a play: its schedulers and warps, cycle by cycle.
#ifndef SIM_PLAY_SM_H
#define SIM_PLAY_SM_H

#include "play/memory.h"

// How far a play came.
typedef struct play_progress {
    double started;  // cycle at which the last recorded block began
    double refilled; // at which the first block began in the place of another; 0: none
    double at_started, at_refilled; // instructions that were played until then
    double marks[2], at_marks[2];   // cycles in the first half of the play, or none, and later;
                                    // likewise
    double drained;                 // at which the last one of those ended; 0: none did
    double end;                     // cycle of the last event
    double instructions;            // played; as the PTX counts them
    bool complete;                  // all recorded blocks came to their ends
} play_progress;

// How much is played. More may have been recorded, for a timeline.
typedef struct play_extent {
    uint32_t resident; // blocks on the SM at once
    uint32_t recorded; // blocks to play, at least `resident`
    uint32_t runs;     // of a warp
    uint64_t blocks;   // that the SM gets in all
    uint32_t first;    // recorded block to begin with; numbers as of sim_paths_played
    bool alone;        // no other SM works
    bool whenever;     // what it finds in the caches is that of all of the launch's time
} play_extent;

// Plays the recorded blocks. False: no memory.
bool play_sm(const sim_play_launch *launch, play_memory *memory, const play_extent *extent,
             play_progress *out_progress);

#endif
