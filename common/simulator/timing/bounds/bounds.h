// The analytical model: how long a launch would take if only one resource limited it, for
// each resource. bounded_us is the largest of these plus the fixed cost of a kernel, and what warps
// wait for memory in addition where both are of a size (timing.c); but no less than the longest
// warp takes, which has the SM to itself at the end (record/record.h). Wrong in detail, right
// in order, and always able to say which bound wins. Where the cycle-level model runs (timing/sm),
// its time is the launch's, and this one explains it.
#pragma once

#include "counters/counters.h"

// What the model knows of a program's code where no warp of a launch was, so that a launch costs
// what ran of a kernel and not its size.
typedef struct sim_bounds_unvisited sim_bounds_unvisited;
// NULL: no memory.
sim_bounds_unvisited *sim_bounds_unvisited_new(void);
// Accepts NULL.
void sim_bounds_unvisited_free(sim_bounds_unvisited *kept);

// Fills bounded_us, time_us (the same) and bounds of `report`, whose config, occupancy and totals
// are set already. `result` holds the raw counts of the functions of `program` that ran, `cache`
// what became of their accesses. `unvisited`: of the program; NULL: all its code is walked.
void sim_bounds_find(const sim_device *device, const sim_program *program,
                     const sim_recorded *result, const sim_cache_result *cache,
                     sim_bounds_unvisited *unvisited, sim_launch_report *report);

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
    uint32_t warps;      // of a block
    const uint64_t *ran; // by pc: where the launch's warps were (sim_next_ran); NULL: everywhere
    sim_bounds_unvisited *unvisited; // of the program; NULL: all code is walked
} sim_bounds_code;

// A warp's start: its block is given to the SM, registers and parameters are set up.
extern const double sim_bounds_start_cycles;

// Cycles that one warp alone would spend in a function, summed over all warps that ran it: every
// executed instruction costs its issue slot and the wait for its operands, as an in-order core with
// a scoreboard would wait (registers become ready after the latency of the unit that writes them).
double sim_bounds_serial_cycles(const sim_device *device, const sim_bounds_code *code);
