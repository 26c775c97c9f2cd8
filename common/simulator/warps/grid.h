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

// A launch, of the host or of a kernel: what is launched, made and checked once before it runs
// (engine/admit.c), and never changed while it does. Everything that a launch is passed through
// points to it. Pointers are borrowed.
typedef struct sim_launch {
    const sim_device *device;     // the simulated one
    sim_program *program;         // bound
    const sim_function *function; // the kernel: an entry of the program
    sim_launch_config config;     // sizes, as the launch asks for them
    const void *params;           // the parameter block, of function->entry_param_bytes at least
    uint32_t param_bytes;         // of `params`
    uint32_t registers;           // of a thread: never fewer than the device's least
    bool registers_estimated;     // no machine code was there to read them from
    uint32_t static_shared_bytes; // of a block, that the kernel declares
    sim_occupancy occupancy;      // of its blocks on an SM; zeros: not known
    uint64_t resident_blocks;     // that the device holds at once; 0: not known
    double share;                 // of these that the grid fills, at most 1
    const kl_error *refusal;      // why it cannot run; NULL: it can
} sim_launch;

// Threads, and blocks, of a launch.
static inline uint64_t sim_launch_threads(const sim_launch *launch) {
    const sim_dim3 *size = &launch->config.block;
    return (uint64_t)size->x * size->y * size->z;
}
static inline uint64_t sim_launch_blocks(const sim_launch *launch) {
    const sim_dim3 *size = &launch->config.grid;
    return (uint64_t)size->x * size->y * size->z;
}
// Shared memory of a block, static and dynamic.
static inline uint32_t sim_launch_shared_bytes(const sim_launch *launch) {
    return launch->static_shared_bytes + launch->config.dynamic_shared_bytes;
}
// Blocks of a cluster; 1 without clusters.
static inline uint32_t sim_launch_cluster_blocks(const sim_launch *launch) {
    const sim_dim3 *size = &launch->config.cluster;
    return size->x ? size->x * size->y * size->z : 1;
}

// The grid of a launch, as the executor runs it: where it runs, how, and where it leaves what is
// recorded. Everything is borrowed.
typedef struct sim_grid {
    const sim_launch *launch;          // whose grid it is
    sim_memory *memory;                // of the device
    const sim_texture_table *textures; // NULL: none
    bool resident; // blocks alternate, as many as fit on the device, as in cooperative launches
    uint64_t workspace;   // device address of a cooperative launch's barrier; 0: not cooperative
    uint32_t stack_bytes; // local memory per thread for recursive and indirect calls; 0: 64 KiB
    sim_mode mode;        // what is kept of the execution
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

// The linear index of the block that runs at `position` of the schedule; events name positions.
uint64_t sim_schedule_block(const sim_grid *grid, uint64_t position);

#endif
