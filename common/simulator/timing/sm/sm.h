// SPDX-License-Identifier: MIT
// One SM: its schedulers and warps, cycle by cycle.
#ifndef SIM_TIMING_SM_SM_H
#define SIM_TIMING_SM_SM_H

#include "timing/sm/memory.h"
#include "timing/timeline/recorder.h"

// SMs that get blocks of a launch. A cluster lies within one GPC (a group of SMs): where each of
// its blocks takes an SM of its own, the SMs of a GPC beyond a multiple of the cluster's size get
// none. Where an SM has room for several blocks, nearly all of them get some.
uint32_t sm_count_of(const sim_launch *launch);

// Cycles in which a scheduler's tensor core and special-function unit work, summed over schedulers.
typedef struct sm_units {
    double both, tensor_alone, xu_alone; // both do; only the one does; only the other
} sm_units;

// How far a run of the model came.
typedef struct sm_progress {
    double started;  // cycle at which the last recorded block began
    double refilled; // at which the first block began in the slots of another; 0: none
    double at_started, at_refilled; // instructions until then
    double marks[2], at_marks[2];   // cycles in the first half of the run, or none, and later;
                                    // likewise
    double drained;                 // at which the last one of those ended; 0: none did
    double end;                     // cycle of the last event
    double instructions;            // as the PTX counts them
    sm_units units;                 // until then
    bool complete;                  // all recorded blocks came to their ends
} sm_progress;

// How much of the recorded traces is run.
typedef struct sm_extent {
    uint32_t resident; // blocks on the SM at once
    uint32_t recorded; // blocks to run, at least `resident`
    uint32_t runs;     // of a warp
    uint64_t blocks;   // that the SM gets in all
    uint32_t first;    // recorded block to begin with; numbers as of sim_warp_traces_modelled
    bool only_sm;      // no other SM works
    bool same;         // each block does what the first one does
    double sms;        // that work as this one does; 0: follows from the blocks
    bool any_time;     // what it finds in the caches is that of all of the launch's time
    timeline_recorder *timeline; // NULL: nobody asked for one
} sm_extent;

// Runs the recorded blocks. False: no memory.
bool sm_run(const sim_sm_input *input, sm_memory *memory, const sm_extent *extent,
            sm_progress *out_progress);

// ---- last_block.c ----

// Cycles until the end of what `extent` tells to run, with nothing else on the card; 0: no memory.
double extent_cycles(const sim_sm_input *input, const sm_extent *extent);
// Cycles until the end of one block, which need not be a recorded one, with nothing else on the
// card; 0: no memory. warps: that it has; runs: of each.
double single_block_cycles(const sim_sm_input *input, const sim_traced_block *block, uint32_t warps,
                           uint32_t runs);

// Cycles that the launch lasts longer for its last block: by so many that block takes longer than
// the last one of the `recorded` blocks, if it is none of these and executes code that no other
// block does, and all of them an atomic whose result is read. 0: there is no such block, or no
// memory. runs: of a warp.
double last_block_cycles(const sim_sm_input *input, uint32_t recorded, uint32_t runs);

#endif
