// A grid as its blocks and warps see it: program, arguments, memory, sizes, and where they record
// what they do. grids/grids.h runs it.
#pragma once

#include "device/report.h"
#include "memory/memory.h"
#include "record/traces.h"

// ---- observe.c ----------------------------------------------------------------------------------
// The events of a running grid that an observer receives: accesses, synchronisation, begin and end
// of blocks. The functions sim_observe_* (warps/block.h) make them.

struct sim_block;
struct sim_frame;

// SIM_MODE_CHECK. A grid with an observer runs on one host thread, so calls come one after the
// other, in the order of the virtual schedule.
typedef enum sim_access_kind {
    SIM_ACCESS_READ,
    SIM_ACCESS_WRITE,
    SIM_ACCESS_BEGIN, // an asynchronous write begins; a WRITE follows when its bytes arrive
    SIM_ACCESS_ATOMIC
} sim_access_kind;

// One access of one warp.
typedef struct sim_access_event {
    uint32_t worker;              // runs the block; data of an observer per worker need no lock
    uint64_t block;               // linear index
    uint32_t warp;                // in the block
    const sim_function *function; // contains the instruction
    const sim_instr *instr;       // makes the access
    uint32_t lanes;               // active and predicated on
    uint8_t space;                // PTX_SPACE_GLOBAL, SHARED or LOCAL; generic ones are resolved
    uint64_t owner;       // SHARED: the block that owns the memory: `block`, or one of its cluster
    sim_access_kind kind; // read, write or atomic
    uint32_t bytes;       // per lane
    // Where the lanes point: device addresses, or offsets in the block's or thread's window.
    // addresses[32], or NULL: lane i is at base[i / 16] + i % 16 * stride.
    const uint64_t *addresses;
    uint64_t base[2];
    int64_t stride;
    const uint8_t *memory; // host address of address 0 of the space; LOCAL: NULL
    bool is_volatile;      // .volatile or stronger
    const sim_warp *state;
    struct sim_product *product; // the product of a warp group that reads; NULL: another access
    uint32_t mbarrier; // BEGIN of a bulk copy: where the mbarrier lies that counts its bytes
} sim_access_event;

static inline uint64_t sim_access_address(const sim_access_event *event, uint32_t lane) {
    if (event->addresses) return event->addresses[lane];
    return event->base[lane / 16] + (uint64_t)event->stride * (lane % 16);
}
// Copies the bytes that a lane is about to store. False: the access is no store.
bool sim_access_value(const sim_access_event *event, uint32_t lane, uint8_t out_bytes[32]);

// A weak access by a warp whose lanes address rows, in short form.
typedef struct sim_access_rows {
    uint64_t base[2];      // lane i is at base[i / 16] + i % 16 * stride
    int64_t stride;        // bytes between neighbouring lanes
    uint32_t lanes, bytes; // active and predicated on; per lane
    uint8_t space;         // PTX_SPACE_GLOBAL or SHARED, of the own block
    bool is_store;         // else a load
} sim_access_rows;

// Loads of words in rows of the block's own shared memory. The executor notes them and does not
// call the observer: loads change nothing, and mostly a barrier precedes the next store. An
// observer that can wait for the barrier offers room for the notes.
enum { SIM_ROW_NOTES = 4096, SIM_NOTING_WARPS = 32 };
typedef struct sim_row_note {
    const sim_instr *instr;   // the load
    uint32_t base[2], lanes;  // as in sim_access_rows
    uint16_t warp;            // index in the block
    uint8_t stride;           // as in sim_access_rows
    bool is_store;            // false for notes of the executor; an observer may insert stores
    uint32_t time, warp_base; // for the observer
    uint32_t warp_met;        // for the observer
} sim_row_note;
// The notes of the running block.
typedef struct sim_row_notes {
    uint32_t below; // notes are taken of loads with base[0] and base[1] below this; 0: of none
    uint32_t count; // of `at`; the observer sets it to 0
    const sim_symbol *symbols;               // of the running program
    const uint8_t *shared;                   // of the running block: see sim_access_event.memory
    const sim_instr *last[SIM_NOTING_WARPS]; // by warp: its last noted load
    sim_row_note at[SIM_ROW_NOTES];          // when it is full, the observer gets events
} sim_row_notes;

// Kinds of synchronisation.
typedef enum sim_sync_kind {
    SIM_SYNC_BARRIER_ARRIVE,   // lanes reached a block barrier
    SIM_SYNC_BARRIER_COMPLETE, // it opened: what came before happened before what follows
    SIM_SYNC_CLUSTER_MET,      // the barrier of a cluster has opened for all blocks; the event
                               // names the first block
    SIM_SYNC_WARP,             // each lane synchronises with the lanes in its mask
    SIM_SYNC_FENCE,
    SIM_SYNC_BULK_GROUP,      // lanes commit a group of bulk stores, or wait for groups
    SIM_SYNC_EXIT,            // lanes ended
    SIM_SYNC_MBARRIER_ARRIVE, // lanes arrive at the mbarrier at `barrier`
    SIM_SYNC_MBARRIER_WAIT    // lanes found its phase ended
} sim_sync_kind;

// One step of synchronisation of one warp.
typedef struct sim_sync_event {
    uint32_t worker;              // runs the block
    uint64_t block;               // linear index
    uint32_t warp;                // in the block
    const sim_function *function; // contains the instruction
    const sim_instr *instr;       // NULL for completions by exit
    sim_sync_kind kind;           // decides which fields below are set
    uint32_t lanes;               // the lanes that take part
    uint32_t barrier; // of a block: 0..15; of the cluster: 16; mbarrier: offset in shared memory
    uint64_t owner;   // mbarrier: the block that owns it: `block`, or one of its cluster
    uint64_t bits;    // mbarriers: the object (warps/warp.h) after the event
    uint32_t threads; // ARRIVE: number that the barrier expects; 0: all of the block
    bool arrive_only; // ARRIVE: bar.arrive, which does not wait
    // ARRIVE: lanes on the other side of a branch; they rejoin `lanes` only after the barrier.
    uint32_t apart;
    const uint32_t *masks; // WARP: [32] member masks
} sim_sync_event;

// An instruction on tensor memory.
typedef struct sim_tmem_event {
    uint64_t block, owner;        // linear index; the block whose tensor memory it is
    uint32_t warp, lanes;         // in the block; in the warp
    const sim_function *function; // contains the instruction
    const sim_instr *instr;       // the instruction
    // The columns that it uses; 0 columns: none. COMMIT: column is the mbarrier's offset in the
    // shared memory of `owner`.
    uint32_t column, count;
    uint8_t parts; // which 16 lanes of them, as bits
    bool writes;   // else it reads them
} sim_tmem_event;

struct sim_tensor_map;

// A bulk tensor copy of one lane.
typedef struct sim_tensor_event {
    uint64_t block;                   // linear index
    uint32_t warp, lane;              // in the block; in the warp
    const sim_function *function;     // contains the instruction
    const sim_instr *instr;           // the copy
    const struct sim_tensor_map *map; // operand of the copy
    bool is_far_outside;              // the box lies more than its own length outside the tensor
    bool to_others;                   // other blocks of the cluster receive it
} sim_tensor_event;

// Receives the events of a grid. Any function may be NULL. Calls of one worker come one at a time.
typedef struct sim_observer {
    void *context;    // first argument of every call
    bool watches_all; // `step` is called for each instruction of each warp, from the first on
    // Called before the first event of a block.
    void (*block_begin)(void *context, uint32_t worker, uint64_t block, uint32_t shared_bytes);
    // Called after its last event.
    void (*block_end)(void *context, uint32_t worker, uint64_t block);
    // Called before an access that is in bounds and aligned.
    void (*access)(void *context, const sim_access_event *event);
    // The same in short form. False: `access` is to be called instead.
    bool (*rows)(void *context, const sim_warp *warp, const sim_instr *instr,
                 const sim_access_rows *rows);
    sim_row_notes *notes; // NULL: no load is noted
    // wmma.load, wmma.store: called before the accesses of the elements. base[0] is the address
    // operand, stride the bytes from one row (or column) to the next.
    void (*matrix)(void *context, const sim_access_event *event);
    // Called before the accesses of a bulk tensor copy.
    void (*tensor)(void *context, const sim_tensor_event *event);
    // Called before each use of tensor memory, and before what orders such uses.
    void (*tmem)(void *context, const sim_tmem_event *event);
    // Called before each instruction of a warp that the observer watches (sim_observe_watch).
    // `lanes` are active, `on` are also predicated on. False: the watch of this warp ends.
    bool (*step)(void *context, const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                 uint32_t on);
    void (*sync)(void *context, const sim_sync_event *event);
    // Lanes begin with a function, the kernel or what it calls, some of whose registers nobody has
    // written, or which a watched warp calls; its arguments are in the frame. Returns bits of
    // sim_warp.watched that are to be added.
    uint8_t (*entered)(void *context, const sim_warp *warp, const struct sim_frame *frame,
                       uint32_t lanes);
    // Lanes got fresh local memory [base, base + bytes), at their start or by a call.
    void (*local_reserved)(void *context, uint64_t block, uint32_t warp, uint32_t lanes,
                           uint32_t base, uint32_t bytes);
    // malloc in a kernel returned [address, address + bytes).
    void (*heap_allocated)(void *context, uint64_t address, uint64_t bytes);
    // A thread launches a grid. Returns the value for sim_child.order.
    uint32_t (*launched)(void *context);
    // `lanes` of a shuffle read from lanes that do not take part in it.
    void (*shuffle_from_absent)(void *context, const sim_sync_event *event);
    // The arguments of a lane's printf do not fit its format; `text` says why.
    void (*misprints)(void *context, const sim_sync_event *event, const char *text);
} sim_observer;

// A debugger. Its `step` is called for each instruction of a launch, which runs on one host thread.
typedef struct sim_stepper {
    void *context; // first argument of every call
    // Called before an instruction. `lanes` are active, `on` are also predicated on.
    void (*step)(void *context, sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                 uint32_t on);
    // The block has stopped with a fault.
    void (*fault)(void *context, struct sim_block *block);
} sim_stepper;

// ---- device_runtime.c ---------------------------------------------------------------------------
// Launches by kernels (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"), stored until their
// grid ends. A thread asks for a parameter buffer, fills it by ordinary stores, and launches. The
// launch waits for the end of the grid, which is one of the orders that a GPU may choose. Blocks
// do this in the order of the virtual schedule, so nothing here needs a lock.

// Values of cudaStream_t in device code; from SIM_STREAM_NAMED on, streams that it has created.
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
    uint64_t stream;               // each block has its own NULL stream
    uint64_t from_block;           // linear index of the block that launched it
    uint32_t from_thread;          // in that block
    uint32_t order;                // result of sim_observer.launched
    uint8_t *params;               // of function->entry_param_bytes; owned
} sim_child;

// Whether a launch runs after an earlier one of the same grid.
static inline bool sim_child_follows(const sim_child *later, const sim_child *earlier) {
    if (later->stream == SIM_STREAM_TAIL) return true;
    if (later->stream == SIM_STREAM_FIRE_AND_FORGET) return false;
    if (later->stream >= SIM_STREAM_NAMED) return later->stream == earlier->stream;
    return earlier->stream <= SIM_STREAM_PER_THREAD && later->from_block == earlier->from_block;
}

// Launches from device code, of one grid.
typedef struct sim_children {
    uint32_t *conditions;     // [condition_count]: of graphs, numbered from 1 on
    uint64_t condition_count; // of `conditions`
    // In device memory, for all grids of a device.
    uint64_t strings; // sim_error_strings
    uint64_t buffers; // slot_count parameter buffers of slot_bytes
    uint32_t slot_bytes, slot_count;
    // [slot_count] the launch that each buffer is for; function NULL: the buffer is free.
    sim_child *slots;
    uint32_t next_slot; // where the search for a free one begins

    sim_child *launched;                  // in the order of the launches
    uint32_t count, capacity, tail_count; // of `launched`: used, allocated, and those of tail
                                          // streams
    uint32_t tail_limit;                  // cudaLimitDevRuntimePendingLaunchCount
    uint32_t most;                        // launches that this grid may still make; more: a fault
    uint32_t tree_limit;                  // for messages: launches below one launch of the host
    uint64_t streams;                     // number of streams created

    uint64_t stack_bytes, output_bytes, heap_bytes; // limits
    // Whether the device accepts the launch; SIM_UNSUPPORTED: a GPU does, the simulator cannot.
    sim_status (*admit)(void *context, const sim_child *child, kl_error *err);
    void *context;

    // Failed launches whose threads have not read the error, and why the first one failed.
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
    bool truncated;                    // text after the cap is lost
    uint64_t ring_bytes;               // that the calls take in a device's ring buffer (printf.c)
} sim_output;

// A launch by the host or by a kernel. engine/admit.c makes and checks it once; it does not change
// while it runs. All modules that a launch passes point to this struct. Pointers are borrowed.
typedef struct sim_launch {
    const sim_device *device;     // the simulated one
    sim_program *program;         // bound
    const sim_function *function; // the kernel: an entry of the program
    sim_launch_config config;     // sizes, as the launch asks for them
    const void *params;           // the parameter block, of function->entry_param_bytes at least
    uint32_t param_bytes;         // of `params`
    uint32_t registers;           // of a thread: never fewer than the device's least
    bool registers_estimated;     // no machine code was there to read them from
    uint32_t static_shared_bytes; // per block, declared by the kernel
    sim_occupancy occupancy;      // of its blocks on an SM; zeros: not known
    uint64_t resident_blocks;     // blocks that the device holds at once; 0: not known
    double share;                 // part of these that the grid fills, at most 1
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

// The grid of a launch as the executor runs it: its memory, its options, and where it records.
// Pointers are borrowed.
typedef struct sim_grid {
    const sim_launch *launch;          // the launch
    sim_memory *memory;                // of the device
    const sim_texture_table *textures; // NULL: none
    bool has_peers;                    // there are other devices, whose memory is counted apart
    bool resident;      // as many blocks as fit on the device alternate, as in cooperative launches
    bool waits;         // it may be set aside, while it polls, for what others write
    bool beside;        // likewise, and other launches wait at the same time
    uint64_t workspace; // device address of a cooperative launch's barrier; 0: not cooperative
    uint32_t stack_bytes; // local memory per thread for recursive and indirect calls; 0: 64 KiB
    sim_mode mode;        // what is recorded of the execution
    uint64_t max_instructions;       // in warp instructions; 0: 2^40
    uint64_t max_block_instructions; // 0: only the limit of the launch
    sim_progress *progress;          // NULL: nobody waits
    uint64_t index;                  // of the launch: %gridid
    sim_schedule schedule;           // order of blocks and of the warps of a block
    sim_output *output;              // printf; NULL: discarded
    const sim_observer *observer;    // NULL: none
    const sim_stepper *stepper;      // NULL: nobody debugs
    sim_children *children;          // NULL: function->bound->calls_runtime must be false
    bool no_lines;                   // no cache is modelled: touched lines are not recorded
    sim_warp_traces *traces;         // receives traces of the warps of some blocks, or NULL
    sim_probes *probes;              // receives accesses and branches, or NULL
    sim_l2_before *l2_before;        // receives the sectors that the launch touched, or NULL
    struct sim_clocks *clocks;       // timing/kernel_clock's; NULL: the kernel reads no clock
    bool lanes_apart;                // lanes that a branch separated stay so until they synchronise
} sim_grid;

// The linear index of the block that runs at `position` of the schedule; events name positions.
uint64_t sim_schedule_block(const sim_grid *grid, uint64_t position);
// blockIdx or threadIdx of a linear index.
static inline sim_dim3 sim_unfold(uint64_t linear, sim_dim3 size) {
    return (sim_dim3){(uint32_t)(linear % size.x), (uint32_t)(linear / size.x % size.y),
                      (uint32_t)(linear / size.x / size.y)};
}
