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
#include "program/ir.h"
#include "record/sectors.h"
#include "record/traces.h"

// ---- observe.c ----------------------------------------------------------------------------------
// What a running grid tells an observer: accesses, synchronisation, the lives of blocks.
// warps/block.h makes these events.

struct sim_block;

// SIM_MODE_CHECK: what checks may see. A grid with an observer runs on one host thread, so calls
// come one after the other, in the order of the virtual schedule. Any may be NULL.
typedef enum sim_access_kind {
    SIM_ACCESS_READ,
    SIM_ACCESS_WRITE,
    SIM_ACCESS_BEGIN, // an asynchronous write begins; it comes as a WRITE when it arrives
    SIM_ACCESS_ATOMIC
} sim_access_kind;

// One access of one warp.
typedef struct sim_access_event {
    uint32_t worker; // that runs the block: an observer needs no lock for what it keeps per worker
    uint64_t block;  // linear index
    uint32_t warp;   // in the block
    const sim_function *function; // in which the instruction stands
    const sim_instr *instr;       // that accesses
    uint32_t lanes;               // active and predicated on
    uint8_t space;                // PTX_SPACE_GLOBAL, SHARED or LOCAL: generic ones come resolved
    uint64_t owner; // SHARED: the block whose memory it is; another one of the cluster, or `block`
    sim_access_kind kind; // read, write or atomic
    uint32_t bytes;       // a lane
    // Where the lanes point: device addresses, or offsets in the block's or thread's window.
    // addresses[32], or NULL: lane i is at base[i / 16] + i % 16 * stride.
    const uint64_t *addresses;
    uint64_t base[2];
    int64_t stride;
    const uint8_t *memory; // host address of address 0 of the space; LOCAL: NULL
    bool is_volatile;      // .volatile or stronger
    const sim_warp *state;
    struct sim_product *product; // of a warp group, that reads; NULL: another access
} sim_access_event;

static inline uint64_t sim_access_address(const sim_access_event *event, uint32_t lane) {
    if (event->addresses) return event->addresses[lane];
    return event->base[lane / 16] + (uint64_t)event->stride * (lane % 16);
}
// The bytes that a lane of a store is about to write; false: not a store.
bool sim_access_value(const sim_access_event *event, uint32_t lane, uint8_t out_bytes[32]);

// The same of a weak access by a regular warp, in the shortest form.
typedef struct sim_access_rows {
    uint64_t base[2];      // lane i is at base[i / 16] + i % 16 * stride
    int64_t stride;        // bytes between neighbouring lanes
    uint32_t lanes, bytes; // active and predicated on; each
    uint8_t space;         // PTX_SPACE_GLOBAL or SHARED, of the own block
    bool is_store;         // else a load
} sim_access_rows;

// Loads of words in rows of the own block's shared memory that are noted instead of told. They
// change nothing, and mostly a barrier comes before any store does: an observer that can wait
// offers room.
enum { SIM_ROW_NOTES = 4096, SIM_NOTING_WARPS = 32 };
typedef struct sim_row_note {
    const sim_instr *instr;   // the load
    uint32_t base[2], lanes;  // as in sim_access_rows
    uint16_t warp;            // its index in the block
    uint8_t stride;           // as in sim_access_rows
    bool is_store;            // false: the observer may put stores between
    uint32_t time, warp_base; // the observer's
    uint32_t warp_met;        // likewise
} sim_row_note;
// The notes of the running block.
typedef struct sim_row_notes {
    uint32_t below; // weak loads by regular warps are noted whose base[0] and base[1] are; 0: none
    uint32_t count; // of `at`; the observer begins anew
    const sim_symbol *symbols;               // of the running program
    const uint8_t *shared;                   // of the running block: see sim_access_event.memory
    const sim_instr *last[SIM_NOTING_WARPS]; // by warp: the last one that was noted
    sim_row_note at[SIM_ROW_NOTES];          // when all are taken, accesses are told
} sim_row_notes;

// What happened between threads.
typedef enum sim_sync_kind {
    SIM_SYNC_BARRIER_ARRIVE,   // lanes reached a block barrier
    SIM_SYNC_BARRIER_COMPLETE, // it opened: what came before happened before what follows
    SIM_SYNC_CLUSTER_MET,      // the barrier of a cluster has opened for each of its blocks: told
                               // of the first
    SIM_SYNC_WARP,             // lanes synchronise, each with those that its mask names
    SIM_SYNC_FENCE,
    SIM_SYNC_EXIT,            // lanes ended
    SIM_SYNC_MBARRIER_ARRIVE, // what came before is announced to the mbarrier at `barrier`
    SIM_SYNC_MBARRIER_WAIT    // a look at it found the phase ended
} sim_sync_kind;

// One step of synchronisation of one warp.
typedef struct sim_sync_event {
    uint32_t worker;              // that runs the block
    uint64_t block;               // linear index
    uint32_t warp;                // in the block
    const sim_function *function; // in which the instruction stands
    const sim_instr *instr;       // NULL for completions by exit
    sim_sync_kind kind;           // decides which of the fields below have a meaning
    uint32_t lanes;               // that take part
    uint32_t barrier; // of a block: 0..15, 16 of the cluster; mbarriers: offset in shared memory
    uint64_t owner; // mbarriers: the block whose shared memory it is; `block` or one of its cluster
    uint64_t bits;  // mbarriers: the object (warps/warp.h) after the event
    uint32_t threads; // ARRIVE: that the barrier asks for; 0: all of the block
    bool arrive_only; // ARRIVE: bar.arrive, which does not wait
    // ARRIVE: lanes on the other side of a branch, which join these again only after the barrier.
    uint32_t apart;
    const uint32_t *masks; // WARP: [32] member masks
} sim_sync_event;

struct sim_tensor_map;

// A bulk tensor copy of one lane.
typedef struct sim_tensor_event {
    uint64_t block;                   // linear index
    uint32_t warp, lane;              // in the block; in the warp
    const sim_function *function;     // in which the instruction stands
    const sim_instr *instr;           // the copy
    const struct sim_tensor_map *map; // as it was given
    bool is_far_outside;              // the box lies further from the tensor than it is long
    bool to_others;                   // it goes to other blocks of the cluster
} sim_tensor_event;

// Who is told of accesses and of synchronisation. Calls of one worker come one at a time.
typedef struct sim_observer {
    void *context;    // handed to every call
    bool watches_all; // `step` is told of each instruction of each warp, from the first on
    // Before the first event of a block.
    void (*block_begin)(void *context, uint32_t worker, uint64_t block, uint32_t shared_bytes);
    // Behind its last event.
    void (*block_end)(void *context, uint32_t worker, uint64_t block);
    // Before the access takes place, and only when it is in bounds and aligned.
    void (*access)(void *context, const sim_access_event *event);
    // The same where this form tells all. False: it has to be told as an event.
    bool (*rows)(void *context, const sim_warp *warp, const sim_instr *instr,
                 const sim_access_rows *rows);
    sim_row_notes *notes; // NULL: all is told
    // wmma.load, wmma.store: before the accesses of its elements, what the instruction was given:
    // the address at base[0], the bytes from one row (or column) to the next as stride.
    void (*matrix)(void *context, const sim_access_event *event);
    // Before the accesses of a bulk tensor copy.
    void (*tensor)(void *context, const sim_tensor_event *event);
    // Before each instruction of a warp that the observer watches (sim_observe_watch), of which
    // `lanes` are active and `on` predicated on as well. False: it need not be watched any more.
    bool (*step)(void *context, const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                 uint32_t on);
    void (*sync)(void *context, const sim_sync_event *event);
    // Lanes got fresh local memory [base, base + bytes), by starting or by a call.
    void (*local_reserved)(void *context, uint64_t block, uint32_t warp, uint32_t lanes,
                           uint32_t base, uint32_t bytes);
    // malloc in a kernel returned [address, address + bytes).
    void (*heap_allocated)(void *context, uint64_t address, uint64_t bytes);
    // A thread launches a grid. Returns what sim_child.order shall be.
    uint32_t (*launched)(void *context);
    // A shuffle's `lanes` read from lanes that do not take part in it.
    void (*shuffle_from_absent)(void *context, const sim_sync_event *event);
    // The format of a lane's printf and its arguments do not fit; `text` says why.
    void (*misprints)(void *context, const sim_sync_event *event, const char *text);
} sim_observer;

// A debugger. It is told of each instruction of a launch, which then runs on one host thread.
typedef struct sim_stepper {
    void *context; // handed to every call
    // Before an instruction of which `lanes` are active and `on` predicated on as well.
    void (*step)(void *context, sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                 uint32_t on);
    // The block has stopped with a fault.
    void (*fault)(void *context, struct sim_block *block);
} sim_stepper;

// ---- device_runtime.c ---------------------------------------------------------------------------
// Launches by kernels (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"): what a grid keeps
// of them until it ends. A thread asks for a parameter buffer, fills it by ordinary stores, and
// launches; the launch then waits for the end of the grid, which is one of the orders that a GPU
// may choose. Blocks do this in the order of the virtual schedule, so nothing here needs a lock.

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

// ---- the grid -----------------------------------------------------------------------------------

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
