// SPDX-License-Identifier: MIT
// Launches by kernels (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"): what a grid keeps
// of them until it ends. A thread asks for a parameter buffer, fills it by ordinary stores, and
// launches; the launch then waits for the end of the grid, which is one of the orders that a GPU
// may choose. Blocks do this in the order of the virtual schedule, so nothing here needs a lock.
#ifndef SIM_WARPS_CHILDREN_H
#define SIM_WARPS_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>

#include "device/report.h"
#include "program/ir.h"

// Values of cudaStream_t in device code; from SIM_STREAM_NAMED on, those that it has created.
enum {
    SIM_STREAM_NULL = 0,
    SIM_STREAM_LEGACY = 1,
    SIM_STREAM_PER_THREAD = 2,
    SIM_STREAM_TAIL = 3,
    SIM_STREAM_FIRE_AND_FORGET = 4,
    SIM_STREAM_NAMED = 0x1000
};

// A launch that device code has made and that has not run yet.
typedef struct sim_child {
    const sim_function *function;  // the kernel
    sim_dim3 grid, block;          // in blocks, and in threads
    uint32_t dynamic_shared_bytes; // of each block
    uint64_t stream;               // NULL streams are a block's own
    uint64_t from_block;           // linear index of the block that launched it
    uint32_t from_thread;          // in that block
    uint32_t order;                // of sim_observer.launched
    uint8_t *params;               // of function->entry_param_bytes; owned
} sim_child;

// Whether a launch runs behind an earlier one of the same grid.
static inline bool sim_child_follows(const sim_child *later, const sim_child *earlier) {
    if (later->stream == SIM_STREAM_TAIL) return true;
    if (later->stream == SIM_STREAM_FIRE_AND_FORGET) return false;
    if (later->stream >= SIM_STREAM_NAMED) return later->stream == earlier->stream;
    return earlier->stream <= SIM_STREAM_PER_THREAD && later->from_block == earlier->from_block;
}

// Launches from device code, of one grid.
typedef struct sim_children {
    // In device memory, for all grids of a device.
    uint64_t strings; // sim_error_strings
    uint64_t buffers; // slot_count parameter buffers of slot_bytes
    uint32_t slot_bytes, slot_count;
    // What each buffer is to be launched with; function NULL: the buffer is free.
    sim_child *slots;
    uint32_t next_slot; // where to look for a free one

    sim_child *launched;                  // in order
    uint32_t count, capacity, tail_count; // launches of `launched`: used, allocated, and those of
                                          // tail streams
    uint32_t tail_limit;                  // cudaLimitDevRuntimePendingLaunchCount
    uint32_t most;                        // launches that this grid may still make; more: a fault
    uint32_t tree_limit;                  // for messages: all below one launch of the host
    uint64_t streams;                     // that it has created

    uint64_t stack_bytes, output_bytes, heap_bytes; // limits
    // Whether the device takes such a launch; SIM_UNSUPPORTED: it would, but the simulator cannot.
    sim_status (*admit)(void *context, const sim_child *child, kl_error *err);
    void *context;

    // Launches that failed and whose threads have not asked for the error, and why the first did.
    uint32_t unasked;
    char failure[512];
} sim_children;

#endif
