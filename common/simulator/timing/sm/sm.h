// The cycle-level model. It is trace-driven: the recorded traces of the warps of one SM
// (record/traces.h) run through its schedulers, pipes, shared memory and L1, and through its
// share of the L2 and of device memory, whose other SMs are taken to do the same. The time of the
// launch follows from that: what was not recorded goes on at the rate of what was. README.md says
// what is modelled and what is not.
#pragma once

#include "counters/counters.h"
#include "machine/machine.h"

// The warp traces to record of a launch. NULL where its time is not the model's (no such launch, a
// card of which the model has no constants: device/device.h) and without memory.
sim_warp_traces *sim_sm_record(const sim_launch *launch);

// Shares of the time that an SM is active in which a scheduler's tensor core and special-function
// unit work.
typedef struct sim_unit_shares {
    double both, tensor_alone, xu_alone; // both do; only the one does; only the other
} sim_unit_shares;

// Everything that the model reads of a launch that has run. Only `codes` is written.
typedef struct sim_sm_input {
    const sim_launch *launch;      // what was launched
    const sim_recorded *recorded;  // raw counts of the whole grid
    const sim_cache_result *cache; // hits and misses of the whole grid
    const sim_counters *totals;    // counters of the whole grid
    const sim_warp_traces *traces; // recorded warp traces
    sim_issue_codes **codes;       // of the launch's program and device; *codes NULL: none yet
    bool wants_timeline;           // spans of its warps are written, too
} sim_sm_input;

// Runs the model on a launch and fills time_us, estimate, estimates_us and timeline of the report.
// Depends on the launch alone, never on host threads. Without memory the report stays as it is.
sim_unit_shares sim_sm_time(const sim_sm_input *input, sim_launch_report *report);
