// SPDX-License-Identifier: MIT
// One SM: its schedulers and warps, cycle by cycle.
#ifndef SIM_TIMING_SM_SM_H
#define SIM_TIMING_SM_SM_H

#include "timing/sm/memory.h"
#include "timing/timeline/recorder.h"

// SMs that get blocks of a launch. A cluster lies within one GPC (a group of SMs): where each of
// its blocks takes an SM of its own, the SMs of a GPC beyond a multiple of the cluster's size get
// none. Where an SM has room for several blocks, nearly all of them get some. shared_bytes: of a
// block, static and dynamic.
uint32_t sm_count_of(const sim_device *device, const sim_launch_config *config,
                     uint32_t shared_bytes);

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
bool sm_run(const sim_sm_launch *launch, sm_memory *memory, const sm_extent *extent,
            sm_progress *out_progress);

#endif
