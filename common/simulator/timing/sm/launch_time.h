// SPDX-License-Identifier: MIT
// The cycle-level model. It is trace-driven: the recorded traces of the warps of one SM
// (record/warp_trace.h) run through its schedulers, pipes, shared memory and L1, and through its
// share of the L2 and of device memory, whose other SMs are taken to do the same. The time of the
// launch follows from that: what was not recorded goes on at the rate of what was. README.md says
// what is modelled and what is not.
#ifndef SIM_TIMING_SM_LAUNCH_TIME_H
#define SIM_TIMING_SM_LAUNCH_TIME_H

#include "counters/counters.h"
#include "device/report.h"
#include "grids/grids.h"
#include "machine/issue_code.h"
#include "record/warp_trace.h"

// The warp traces to record of a launch. NULL where its time is not the model's (no such launch, a
// card of which the model has no constants: device/device.h) and without memory. shared_bytes: of
// a block, static and dynamic.
sim_warp_traces *sim_sm_record(const sim_device *device, const sim_launch_config *config,
                               uint32_t shared_bytes);

// What the model found of a launch.
typedef struct sim_sm_result {
    double time_us;                 // of the launch, with its fixed cost; 0: the model did not run
    double cycles;                  // of the SM
    double share;                   // of the SM's warp instructions that the model ran; 1: all
    uint64_t instructions;          // warp instructions of the PTX that it ran
    uint64_t l1_sectors, l1_misses; // of loads: looked up, and asked of the L2
    // Of `cycles`, shares in which a scheduler's tensor core and special-function unit work.
    double both_units, tensor_alone, xu_alone;
    sim_timeline *timeline; // the caller's; NULL: none was asked for, or there is no memory
} sim_sm_result;

// Everything that the model reads. `report` has config, occupancy and totals. Only
// `codes` is written.
typedef struct sim_sm_launch {
    const sim_device *device;        // that it ran on
    const sim_program *program;      // the decoded kernel
    const sim_recorded *result;      // raw counts of the whole grid
    const sim_cache_result *cache;   // hits and misses of the whole grid
    const sim_launch_report *report; // as the engine has it so far
    const sim_warp_traces *paths;    // recorded warp traces
    sim_issue_codes **codes;         // of `program` and `device`; *codes NULL: none yet
    bool wants_timeline;             // spans of its warps are written, too
} sim_sm_launch;

// Runs the model on a launch. Depends on the launch alone, never on host threads. Without memory,
// time_us 0.
sim_sm_result sim_sm_time(const sim_sm_launch *launch);

#endif
