// SPDX-License-Identifier: MIT
// A grid to run, as blocks and warps see it: the program and its arguments, memory, sizes, and
// where to put what they leave behind. grids/grids.h runs it.
#ifndef SIM_WARPS_GRID_H
#define SIM_WARPS_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/report.h"
#include "memory/memory.h"
#include "record/l2_before_launch.h"
#include "program/ir.h"
#include "warps/children.h"
#include "warps/events.h"
#include "record/warp_trace.h"
#include "record/probe.h"

// Collected output of device printf: grows to cap_bytes, then drops text and sets truncated. Zero
// it before use (cap_bytes 0: 16 MiB); the caller frees text. NUL-terminated whenever text is not
// NULL.
typedef struct sim_output {
    char *text;                        // [bytes], and a NUL
    size_t bytes, capacity, cap_bytes; // used, allocated, and at most
    bool truncated;                    // what came after the cap is lost
} sim_output;

// A launch, as the executor runs it. Everything is borrowed.
typedef struct sim_grid {
    sim_program *program;              // bound
    const sim_function *function;      // an entry of it
    sim_memory *memory;                // of the device
    const sim_texture_table *textures; // NULL: none
    const void *params;   // the parameter block, param_bytes >= function->entry_param_bytes
    uint32_t param_bytes; // of `params`
    sim_dim3 grid, block; // in blocks, and in threads
    uint32_t dynamic_shared_bytes; // of each block
    sim_dim3 cluster;              // blocks of a cluster; 0 x 0 x 0: without clusters
    bool cooperative;              // blocks may wait for each other (grid barriers): all alternate
    bool resident;                 // likewise: as many alternate as fit on the device
    uint64_t fitting_blocks;       // that the device holds at a time; 0: not known
    bool streams;                  // the program has some beside the default ones: for messages
    uint64_t workspace;   // device address of a cooperative launch's barrier; 0: not cooperative
    uint32_t stack_bytes; // local memory per thread for recursive and indirect calls; 0: 64 KiB
    const sim_device *device;        // the simulated one
    sim_mode mode;                   // what is kept of the execution
    uint64_t max_instructions;       // in warp instructions; 0: 2^40
    uint64_t max_block_instructions; // 0: none beside that of the launch
    sim_progress *progress;          // NULL: nobody waits
    uint64_t index;                  // of the launch: %gridid
    sim_schedule schedule;           // order of blocks and of the warps of a block
    sim_output *output;              // printf; NULL: discarded
    const sim_observer *observer;    // NULL: none
    const sim_stepper *stepper;      // NULL: nobody debugs
    sim_children *children;          // NULL: function->bound->calls_runtime must be false
    bool no_lines;             // the lines that it touches are not noted: nobody models caches
    sim_warp_traces *traces;   // of the warps of some blocks; NULL: not
    sim_probes *probes;        // where accesses and branches are noted; NULL: not
    sim_l2_before *l2_before;  // gets what the launch touched; NULL: nobody asks
    struct sim_clocks *clocks; // timing/kernel_clock's; NULL: the kernel reads no clock
    bool lanes_apart;          // those that a branch has separated stay so until they synchronise
} sim_grid;

// Blocks of a cluster; 1 without clusters.
static inline uint32_t sim_grid_cluster_blocks(const sim_grid *grid) {
    return grid->cluster.x ? grid->cluster.x * grid->cluster.y * grid->cluster.z : 1;
}

// The linear index of the block that runs at `position` of the schedule; events name positions.
uint64_t sim_schedule_block(const sim_grid *grid, uint64_t position);

#endif
