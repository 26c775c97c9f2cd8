// SPDX-License-Identifier: MIT
// The executor: binds a decoded program to its handlers and runs grids of it. Results, counts and
// faults follow from a fixed virtual schedule of blocks; host threads change speed only. Knows
// program/ir.h, memory/memory.h and device limits; nothing of modules, handles, images or the runtime API.
#ifndef SIM_WARPS_EXEC_H
#define SIM_WARPS_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "device/report.h"
#include "memory/cache_trace.h"
#include "memory/memory.h"
#include "memory/texture.h"
#include "program/ir.h"
#include "warps/longest.h"
#include "warps/path.h"

// A pool of host threads with their reusable block state. One grid at a time: callers serialise.
typedef struct sim_executor sim_executor;

// threads 0: one a core. Threads start at the first grid that can use them.
sim_status sim_executor_new(uint32_t threads, sim_executor **out_executor, sim_error *error);
void sim_executor_free(sim_executor *executor);

// Chooses a handler for every instruction and finds its straight-line runs. Once per program,
// before it runs. SIM_UNSUPPORTED names an operation and type that no handler serves. Memory comes
// from the program's arena.
sim_status sim_program_bind(sim_program *program, sim_error *error);

// Collected output of device printf: grows to cap_bytes, then drops text and sets truncated. Zero
// it before use (cap_bytes 0: 16 MiB); the caller frees text. NUL-terminated whenever text is not
// NULL.
typedef struct sim_output {
    char *text;
    size_t bytes, capacity, cap_bytes;
    bool truncated;
} sim_output;

// SIM_MODE_CHECK: what checks may see. A grid with an observer runs on one host thread, so calls
// come one after the other, in the order of the virtual schedule. Any may be NULL.
typedef enum sim_access_kind {
    SIM_ACCESS_READ,
    SIM_ACCESS_WRITE,
    SIM_ACCESS_BEGIN, // an asynchronous write begins; it comes as a WRITE when it arrives
    SIM_ACCESS_ATOMIC
} sim_access_kind;

typedef struct sim_access_event {
    uint32_t worker;
    uint64_t block; // linear index
    uint32_t warp;  // in the block
    const sim_function *function;
    const sim_instr *instr;
    uint32_t lanes; // active and predicated on
    uint8_t space;  // PTX_SPACE_GLOBAL, SHARED or LOCAL: generic ones come resolved
    sim_access_kind kind;
    uint32_t bytes; // a lane
    // Where the lanes point: device addresses, or offsets in the block's or thread's window.
    // addresses[32], or NULL: lane i is at base[i / 16] + i % 16 * stride.
    const uint64_t *addresses;
    uint64_t base[2];
    int64_t stride;
    const uint8_t *memory; // host address of address 0 of the space; LOCAL: NULL
    bool is_volatile;      // .volatile or stronger
    const sim_warp *state;
} sim_access_event;

static inline uint64_t sim_access_address(const sim_access_event *event, uint32_t lane) {
    if (event->addresses) return event->addresses[lane];
    return event->base[lane / 16] + (uint64_t)event->stride * (lane % 16);
}
// The bytes that a lane of a store is about to write; false: not a store.
bool sim_access_value(const sim_access_event *event, uint32_t lane, uint8_t out_bytes[32]);

typedef enum sim_sync_kind {
    SIM_SYNC_BARRIER_ARRIVE,   // lanes reached a block barrier
    SIM_SYNC_BARRIER_COMPLETE, // it opened: what came before happened before what follows
    SIM_SYNC_WARP,             // lanes synchronise, each with those that its mask names
    SIM_SYNC_FENCE,
    SIM_SYNC_EXIT,            // lanes ended
    SIM_SYNC_MBARRIER_ARRIVE, // what came before is announced to the mbarrier at `barrier`
    SIM_SYNC_MBARRIER_WAIT    // a look at it found the phase ended
} sim_sync_kind;

typedef struct sim_sync_event {
    uint32_t worker;
    uint64_t block;
    uint32_t warp;
    const sim_function *function;
    const sim_instr *instr; // NULL for completions by exit
    sim_sync_kind kind;
    uint32_t lanes;
    uint32_t
        barrier; // block barriers: 0..15, 16 of the cluster; mbarriers: offset in shared memory
    uint32_t threads;      // ARRIVE: that the barrier asks for; 0: all of the block
    bool arrive_only;      // ARRIVE: bar.arrive, which does not wait
    const uint32_t *masks; // WARP: [32] member masks
} sim_sync_event;

typedef struct sim_observer {
    void *context;
    void (*block_begin)(void *context, uint32_t worker, uint64_t block, uint32_t shared_bytes);
    void (*block_end)(void *context, uint32_t worker, uint64_t block);
    // Before the access takes place, and only when it is in bounds and aligned.
    void (*access)(void *context, const sim_access_event *event);
    void (*sync)(void *context, const sim_sync_event *event);
    // Lanes got fresh local memory [base, base + bytes), by starting or by a call.
    void (*local_reserved)(void *context, uint64_t block, uint32_t warp, uint32_t lanes,
                           uint32_t base, uint32_t bytes);
    // malloc in a kernel returned [address, address + bytes).
    void (*heap_allocated)(void *context, uint64_t address, uint64_t bytes);
    // A shuffle's `lanes` read from lanes that do not take part in it.
    void (*shuffle_from_absent)(void *context, const sim_sync_event *event);
} sim_observer;

typedef struct sim_grid {
    sim_program *program;         // bound
    const sim_function *function; // an entry of it
    sim_memory *memory;
    const sim_texture_table *textures; // NULL: none
    const void *params; // the parameter block, param_bytes >= function->entry_param_bytes
    uint32_t param_bytes;
    sim_dim3 grid, block;
    uint32_t dynamic_shared_bytes;
    bool cooperative;     // blocks may wait for each other (grid barriers): all run in turns
    uint64_t workspace;   // device address of a cooperative launch's barrier; 0: not cooperative
    uint32_t stack_bytes; // local memory a thread for recursive and indirect calls; 0: 64 KiB
    const sim_device *device;
    sim_mode mode;
    uint64_t max_instructions;    // in warp instructions; 0: 2^40
    uint64_t index;               // of the launch: %gridid
    sim_schedule schedule;        // order of blocks and of the warps of a block
    sim_output *output;           // printf; NULL: discarded
    const sim_observer *observer; // NULL: none
    sim_paths *paths;             // where the ways of some blocks are recorded; NULL: not
} sim_grid;

typedef struct sim_grid_result {
    sim_status status; // equals fault.kind
    sim_fault fault;   // of the first block, in block order, that faulted
    uint64_t warp_instructions;
    // SIM_MODE_COUNT: counts[f][pc] of program->functions[f], NULL for functions that did not run.
    // Else NULL.
    sim_raw_counts **counts;
    uint32_t function_count;
    uint64_t footprint_read_bytes, footprint_write_bytes; // SIM_MODE_COUNT: 32 x distinct sectors
    sim_trace trace;                                      // SIM_MODE_COUNT: for model/cache_model.h
    sim_longest_warp longest;                             // SIM_MODE_COUNT: for model/timing.h
} sim_grid_result;

// The linear index of the block that runs at `position` of the schedule; events name positions.
uint64_t sim_schedule_block(const sim_grid *grid, uint64_t position);

// Runs a grid to its end or its first fault. Returns out_result->status; configuration mistakes
// that a device would refuse (too many threads, no shared memory for it) come back as
// SIM_LAUNCH_CONFIG or _RESOURCES before anything ran. Fills out_result always; free it with
// sim_grid_result_free.
sim_status sim_grid_run(sim_executor *executor, const sim_grid *grid, sim_grid_result *out_result);
void sim_grid_result_free(sim_grid_result *result);

#endif
