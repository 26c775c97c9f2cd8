// SPDX-License-Identifier: MIT
// The way that the warps of some blocks took through the code: which straight runs each executed,
// in order, and which lines of memory it asked for. The executor records it for the blocks of one
// SM (block b runs on SM b mod SMs); play/ makes a time of it and device/timeline.h a timeline.
#ifndef SIM_WARPS_PATH_H
#define SIM_WARPS_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/cache_trace.h"
#include "program/ir.h"

// Instructions that follow each other in the code, executed one after the other.
typedef struct sim_path_run {
    const sim_function *function; // in which they stand
    uint32_t pc, count;           // instructions
} sim_path_run;

// A line of global or local memory that one request touched.
typedef struct sim_path_line {
    uint32_t line, time, site; // as in sim_trace_entry
    uint16_t wavefronts;       // of the whole request, at the banks of the L1; of textures the
                               // bytes of a texel
    uint8_t sectors, kind;     // as in sim_trace_entry
} sim_path_line;

// The way of one warp through the code.
typedef struct sim_warp_path {
    sim_path_run *runs;                     // in the order of time, [count]
    uint32_t count, capacity;               // of `runs`: used, and allocated
    sim_path_line *accesses;                // in the same order, [access_count]
    uint32_t access_count, access_capacity; // of `accesses`: used, and allocated
    bool cut;                               // more happened than is recorded
} sim_warp_path;

// The ways of a block's warps.
typedef struct sim_block_path {
    sim_warp_path *warps; // [sim_paths.warps_a_block]
    bool ran;             // the block was begun
} sim_block_path;

// Of the blocks 0, stride, 2 * stride, .. of a launch the first ones, and some that lie spread
// evenly over others.
typedef struct sim_paths {
    uint64_t stride;                     // between blocks that could be recorded
    uint32_t block_count, warps_a_block; // first ones; warps of each block
    uint32_t most_runs, most_accesses;   // of one warp; what it did after these is not recorded
    sim_block_path *blocks;              // [block_count], behind them [spread_count]
    uint32_t spread_count;               // blocks that are spread
    uint64_t spread_from, spread_over;   // over how many, and the first of these
} sim_paths;

// NULL without memory. most_runs: of each warp.
sim_paths *sim_paths_new(uint64_t stride, uint32_t blocks, uint32_t warps_a_block,
                         uint32_t most_runs);
void sim_paths_free(sim_paths *paths);
// Records `count` blocks more, out of `over` from block number `from` on, all of which may be among
// the first ones. Once, for paths that nothing was recorded in. False: no memory.
bool sim_paths_spread(sim_paths *paths, uint64_t from, uint32_t count, uint64_t over);
// Number `i` of the blocks that are spread, of all that could be recorded, and its path.
uint64_t sim_paths_spread_number(const sim_paths *paths, uint32_t i);
const sim_block_path *sim_paths_spread_block(const sim_paths *paths, uint32_t i);
// Records at least so many runs of a warp.
void sim_paths_lengthen(sim_paths *paths, uint32_t most_runs);

// Where to record block `index`, all of whose warps start now; NULL when it is not wanted. Blocks
// may be recorded by different threads.
sim_block_path *sim_paths_begin(sim_paths *paths, uint64_t index);

// Adds a run of `count` instructions from `pc` on; cuts the path when it has too many.
void sim_path_add(const sim_paths *paths, sim_warp_path *path, const sim_function *function,
                  uint32_t pc, uint32_t count);
// Adds a line that the present run asks for.
void sim_path_access(const sim_paths *paths, sim_warp_path *path, const sim_path_line *line);
// The last run stopped `rest` instructions before its end.
void sim_path_take_back(sim_warp_path *path, uint32_t rest);

#endif
