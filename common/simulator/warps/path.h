// SPDX-License-Identifier: MIT
// The way that the warps of some blocks took through the code: which straight runs each executed,
// in order, and which lines of memory it asked for. The executor records it for the blocks of one
// SM (block b runs on SM b mod SMs); timing/sm makes a time of it and device/timeline.h a timeline.
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

// Which blocks a play wants (timing/sm/launch_time.h), in the order of the schedule: the first ones that an SM
// gets, and some more, one in the middle of each equal share of the rest. Number n of an SM is
// block n * stride of SM 0. Blocks of other SMs are taken in turn instead, so that a play is not of
// what a problem has at multiples of the stride alone. Beside them the launch's last block, which
// may have the rest to do.
typedef struct sim_played_blocks {
    uint32_t first, spread; // how many
    uint64_t all;           // that an SM gets
    bool mixed;             // the first ones, too, are of all SMs
    uint64_t last;          // the launch's last block; 0: it has no other
} sim_played_blocks;

// Of the blocks 0, stride, 2 * stride, .. of a launch the first ones, for a timeline, and those
// that a play wants.
typedef struct sim_paths {
    uint64_t stride;                     // between blocks of one SM
    uint32_t block_count, warps_a_block; // first ones; warps of each block
    uint32_t most_runs, most_accesses;   // of one warp; what it did after these is not recorded
    // [block_count], behind them those of the play, then one for the last block.
    sim_block_path *blocks;
    sim_played_blocks played; // first 0: of no play
} sim_paths;

// NULL without memory. blocks: first ones for a timeline, may be 0; most_runs: of each warp.
sim_paths *sim_paths_new(uint64_t stride, uint32_t blocks, uint32_t warps_a_block,
                         uint32_t most_runs);
void sim_paths_free(sim_paths *paths);
// Records the blocks of a play, too. Once, for paths that nothing was recorded in. False: no
// memory.
bool sim_paths_play(sim_paths *paths, const sim_played_blocks *played);
// Block `i` of a play: which one it is of those that an SM gets, and its path.
uint64_t sim_paths_played_number(const sim_paths *paths, uint32_t i);
const sim_block_path *sim_paths_played(const sim_paths *paths, uint32_t i);
// The launch's last block of a play with others; NULL: it has none.
const sim_block_path *sim_paths_last(const sim_paths *paths);
// Records at least so many runs and lines of a warp; for each run some lines in any case.
void sim_paths_lengthen(sim_paths *paths, uint32_t most_runs, uint32_t most_accesses);

// Where to record block `index`, all of whose warps start now; NULL when it is not wanted. Blocks
// may be recorded by different threads.
sim_block_path *sim_paths_begin(sim_paths *paths, uint64_t index);

// Adds a run of `count` instructions from `pc` on; cuts the path when it has too many.
void sim_path_add(const sim_paths *paths, sim_warp_path *path, const sim_function *function,
                  uint32_t pc, uint32_t count);
// Adds a line that the present run asks for.
void sim_path_access(const sim_paths *paths, sim_warp_path *path, const sim_path_line *line);
// Instructions of its runs, of the first `most_runs` at most.
uint64_t sim_path_instructions(const sim_warp_path *path, uint32_t most_runs);
// The last run stopped `rest` instructions before its end.
void sim_path_take_back(sim_warp_path *path, uint32_t rest);

#endif
