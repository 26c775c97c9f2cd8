// SPDX-License-Identifier: MIT
// Where the lanes of a launch's memory instructions pointed, how its branches split warps, and
// which boxes its bulk tensor copies moved: of each instruction sums and one or two executions with
// the addresses of all lanes, or the first box. Recorded only
// when asked for (engine/engine.h, sim_options.maps), by record/probe.h; which executions are kept
// follows from the launch alone, never from host threads.
#ifndef SIM_DEVICE_MAPS_H
#define SIM_DEVICE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "device/counters.h"

// What a memory instruction does, and to which memory.
typedef enum sim_map_kind {
#define SIM_MAP_KIND(id, name, memory, requests, units) SIM_MAP_##id,
#include "device/map_kinds.def"
#undef SIM_MAP_KIND
    SIM_MAP_KIND_COUNT
} sim_map_kind;

// "global load".
const char *sim_map_kind_name(sim_map_kind kind);
// Shared memory: it is served in wavefronts; else global or local memory, by sectors.
bool sim_map_is_shared(sim_map_kind kind);
// Local memory: see sim_access_sample.
bool sim_map_is_local(sim_map_kind kind);
// Counters of device/counters.def in which its requests, and its sectors or wavefronts, are.
sim_counter sim_map_requests(sim_map_kind kind);
sim_counter sim_map_units(sim_map_kind kind);

enum {
    SIM_MAP_LANES = 32,
    SIM_MAPS_ACCESSES = 512, // of a launch, those with most units beyond the least first
    SIM_MAPS_BRANCHES = 64,  // of a launch, those that split most often first
    SIM_MAPS_BOXES = 32      // of a launch, the first ones in the code
};

// One execution of a memory instruction by a warp.
typedef struct sim_access_sample {
    uint32_t block[3], warp; // index of the block in the grid; of the warp in the block
    uint32_t lanes;          // active and predicated on
    uint32_t units, least;   // sectors or wavefronts, and how few they could be
    // Device addresses, or byte offsets in the block's shared memory; of lanes that are off: 0. Of
    // local memory byte offsets in that of the warp, where word w of lane i lies at 128 w + 4 i:
    // an access of k words touches k rows of 128 bytes.
    uint64_t addresses[SIM_MAP_LANES];
} sim_access_sample;

// A memory instruction, as the hardware executes it where the machine code tells.
typedef struct sim_access_map {
    uint32_t file, line; // file: of the report's files; line 0: not known
    uint32_t order;      // of the instruction in the code, to tell several of a line apart
    sim_map_kind kind;   // what it does
    uint32_t bytes;      // that a lane moves
    uint32_t rounds;     // atomics on shared memory: wavefronts of a pass over the banks
    bool aggregated;     // atomics: one lane does it for all
    uint64_t requests;   // executions with a lane on
    uint64_t units;      // sectors or wavefronts of all
    uint64_t least;      // what the same lanes and bytes could do with
    // The first execution, and the first of those with most units beyond the least.
    sim_access_sample first, worst;
} sim_access_map;

// Where a branch lies inside another.
typedef enum sim_branch_side {
    SIM_SIDE_NONE,  // inside no other branch that splits
    SIM_SIDE_FALL,  // on the side of the lanes that went on behind the branch
    SIM_SIDE_JUMP,  // on the side of those that jumped
    SIM_SIDE_EITHER // on both
} sim_branch_side;

// A conditional branch that split a warp at least once.
typedef struct sim_branch_map {
    uint32_t file, line;         // line 0: not known
    uint32_t fall_line;          // where lanes go that do not jump; 0: not known
    uint32_t jump_line;          // where the others go; 0: not known, or several places
    bool meets;                  // again, before the end of the function
    uint32_t meet_line;          // where; 0: not known
    uint32_t parent;             // index + 1 of the branch around it; 0: none
    sim_branch_side side;        // of the parent
    bool is_switch;              // several ways: `taken` and `jumped` count the lanes that leave
                                 // the way of the first one
    uint64_t executions, splits; // of these, with lanes on both sides
    uint64_t active, taken;      // lanes of the splits; of these, those that jumped
    uint32_t block[3], warp;     // of the first split
    uint32_t lanes, jumped;      // its lanes; of these, those that jumped
} sim_branch_map;

// A bulk tensor copy, with the first box that it moved. A row of the box begins where the row
// before ends, with a swizzle at the next multiple of the swizzle's span.
typedef struct sim_box_map {
    uint32_t file, line;      // line 0: not known
    bool stores;              // to global memory; else into shared memory
    uint64_t copies;          // of all threads
    uint32_t rows, row_bytes; // along the innermost dimension
    uint32_t swizzle;         // its span: 32, 64 or 128 bytes; 0: none
    uint32_t offset;          // of the box in the block's shared memory, in bytes
} sim_box_map;

// All that is recorded of a launch.
typedef struct sim_launch_maps {
    sim_access_map *accesses;   // by units beyond the least, most first; then in the code's order
    uint32_t access_count;      // up to SIM_MAPS_ACCESSES
    uint32_t accesses_left_out; // instructions beyond these
    sim_branch_map *branches;   // in the code's order
    uint32_t branch_count;      // up to SIM_MAPS_BRANCHES
    uint32_t branches_left_out; // that split a warp, beyond these
    uint32_t branches_whole;    // conditional branches that were executed and split no warp
    sim_box_map *boxes;         // in the code's order
    uint32_t box_count;         // up to SIM_MAPS_BOXES
    uint32_t boxes_left_out;    // bulk tensor copies beyond these
} sim_launch_maps;

// NULL: nothing.
void sim_launch_maps_free(sim_launch_maps *maps);
// A copy; NULL without memory.
sim_launch_maps *sim_launch_maps_copy(const sim_launch_maps *maps);

#endif
