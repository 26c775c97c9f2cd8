// SPDX-License-Identifier: MIT
// The explained closed form: how long a launch would take if only one resource limited it, for
// each resource. bounded_us is the largest of these plus the fixed cost of a kernel, and what warps
// wait for memory in addition where both are of a size (timing.c); but no less than the way of the
// longest warp, which is alone at the end (warps/longest.h). Wrong in detail, right in order, and
// always able to say which bound wins. Where one SM is played (timing/sm/launch_time.h), its time is the
// launch's, and this one explains it.
#ifndef SIM_TIMING_BOUNDS_BOUNDS_H
#define SIM_TIMING_BOUNDS_BOUNDS_H

#include "counters/cache_model.h"
#include "device/report.h"
#include "grids/grids.h"

// Fills bounded_us, time_us (the same) and bounds of `report`, whose config, occupancy and totals
// are set already. `result` holds the raw counts of the functions of `program` that ran, `cache`
// what became of their accesses.
void sim_bounds_find(const sim_device *device, const sim_program *program,
                     const sim_grid_result *result, const sim_cache_result *cache,
                     sim_launch_report *report);

// Fills the explanation of `report`, whose times and bounds are set: which bound wins.
void sim_bounds_explain(const sim_device *device, sim_launch_report *report);

// A function that a launch ran.
typedef struct sim_bounds_code {
    const sim_function *function;  // decoded
    uint32_t index;                // of the program: sim_trace_site
    const sim_cache_result *cache; // NULL: all its loads go to device memory
    const sim_raw_counts *counts;  // how often it ran
    // NULL: any warp's waiting, for which a sector is as far away as the function's are on average.
    // Else that of the launch's longest warp, at whose lines the cache model looked; `counts` are
    // its own, these the launch's.
    const sim_raw_counts *launch;
} sim_bounds_code;

// What the walk over a function's code makes of one instruction. A stretch is straight-line code,
// inside which ptxas moves instructions.
typedef struct sim_bounds_step {
    uint32_t first, last; // of its stretch
    double start;         // cycle of the stretch at which its operands are there
    double latency;       // cycles until what it writes can be read
    double length;        // of its stretch, in cycles
    // Of a latency that each turn waits, where its stretch is a loop that ptxas unrolls; else 1.
    double share;
} sim_bounds_step;

// Walks a function's code in program order; [function->code_count], to be freed, NULL without
// memory.
sim_bounds_step *sim_bounds_walk(const sim_device *device, const sim_bounds_code *code);

// A warp's start: its block is given to the SM, registers and parameters are set up.
extern const double sim_bounds_start_cycles;

// After an instruction that changes the flow: cycles until the warp's next one.
double sim_bounds_wait_after(const sim_instr *instr);

// Cycles that one warp alone would spend in a function, summed over all warps that ran it: every
// executed instruction costs its issue slot and the wait for its operands, as an in-order core with
// a scoreboard would wait (registers become ready after the latency of the unit that writes them).
double sim_bounds_serial_cycles(const sim_device *device, const sim_bounds_code *code);

#endif
