// SPDX-License-Identifier: MIT
// Running grids of a bound program (ops/bind.h). Results, counts and faults follow from a fixed
// virtual schedule of blocks; host threads change speed only. Knows nothing of modules, handles,
// images or the runtime API.
#ifndef SIM_GRIDS_GRIDS_H
#define SIM_GRIDS_GRIDS_H

#include "memory/cache_trace.h"
#include "memory/hot.h"
#include "warps/grid.h"
#include "warps/longest.h"
#include "warps/residence.h"
#include "warps/tail.h"

// A pool of host threads with their reusable block state. One grid at a time: callers serialise.
typedef struct sim_executor sim_executor;

// threads 0: one a core. Threads start at the first grid that can use them.
sim_status sim_executor_new(uint32_t threads, sim_executor **out_executor, kl_error *error);
void sim_executor_free(sim_executor *executor);
uint32_t sim_executor_workers(const sim_executor *executor); // numbered from 0

// What running a grid gave. Free with sim_grid_result_free.
typedef struct sim_grid_result {
    sim_status status;          // equals fault.kind
    sim_fault fault;            // of the first block, in block order, that faulted
    uint64_t warp_instructions; // of all blocks, also when one of them faulted
    // SIM_MODE_COUNT: counts[f][pc] of program->functions[f], NULL for functions that did not run.
    // Else NULL.
    sim_raw_counts **counts;
    uint32_t function_count;
    uint64_t footprint_read_bytes, footprint_write_bytes; // SIM_MODE_COUNT: 32 x distinct sectors
    // SIM_MODE_COUNT: for counters/cache_model.h; the executor's, valid until its next grid.
    sim_trace *trace;
    sim_longest_warp longest; // SIM_MODE_COUNT: for timing/bounds/bounds.h
    sim_tail tail;            // SIM_MODE_COUNT: of a long warp, for timing/sm
    sim_hottest hottest;      // SIM_MODE_COUNT: of the global atomics
    sim_residence residence;  // SIM_MODE_COUNT: for counters/active_cycles.h
} sim_grid_result;

// Runs a grid to its end or its first fault. Returns out_result->status; configuration mistakes
// that a device would refuse (too many threads, no shared memory for it) come back as
// SIM_LAUNCH_CONFIG or _RESOURCES before anything ran. Fills out_result always; free it with
// sim_grid_result_free.
sim_status sim_grid_run(sim_executor *executor, const sim_grid *grid, sim_grid_result *out_result);
void sim_grid_result_free(sim_grid_result *result);

#endif
