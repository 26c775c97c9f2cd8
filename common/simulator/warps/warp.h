// State of a running warp: frames of registers, splits (groups of lanes with one program counter)
// and the reconvergence table. Private to the executor. Plain data.
//
// A split is a group of lanes at one program counter, as the top of a classic SIMT stack, but any
// ready split may run. When a branch diverges, both sides become splits, which wait for each other
// at the reconvergence point of the branch. That point is an entry of the reconvergence table (the
// "multi-path" organisation of ElTantawy et al., HPCA 2014). The newest ready split runs first,
// which is the order of a stack. When it waits for something that only another split can do, the
// other one runs: the independent thread scheduling of Volta.
#pragma once

#include "record/record.h"
#include "warps/grid.h"

// ---- mbarriers ----------------------------------------------------------------------------------
// mbarrier objects: 8 bytes of shared memory, opaque to programs.

//   bits 0..19   arrivals that this phase still needs
//   bits 20..39  arrivals that each phase needs
//   bits 40..60  bytes that this phase still expects, 21 bits in two's complement
//   bit 62       parity of the phase
//   bits 61, 63  0 and 1: initialised; of poison it is 1 and 0
enum { SIM_MBARRIER_MAX = (1 << 20) - 1 };
typedef struct sim_mbarrier {
    uint32_t wanted, per_phase; // arrivals: still needed in this phase, and needed in each
    int32_t bytes;              // still expected in this phase
    bool parity, valid;         // of the present phase; the object was initialised
} sim_mbarrier;

// The object whose 8 bytes are `bits`.
static inline sim_mbarrier sim_mbarrier_read(uint64_t bits) {
    return (sim_mbarrier){.wanted = bits & SIM_MBARRIER_MAX,
                          .per_phase = bits >> 20 & SIM_MBARRIER_MAX,
                          .bytes = (int32_t)((int64_t)(bits << 3) >> 43),
                          .parity = bits >> 62 & 1,
                          .valid = (bits >> 61 & 5) == 4};
}

// Its 8 bytes.
static inline uint64_t sim_mbarrier_bits(sim_mbarrier barrier) {
    return (uint64_t)barrier.wanted | (uint64_t)barrier.per_phase << 20 |
           ((uint64_t)barrier.bytes & 0x1FFFFF) << 40 | (uint64_t)barrier.parity << 62 |
           (uint64_t)barrier.valid << 63;
}

// Ends the phase when no arrival and no byte is missing.
static inline void sim_mbarrier_settle(sim_mbarrier *barrier) {
    if (barrier->wanted != 0 || barrier->bytes != 0) return;
    barrier->parity = !barrier->parity;
    barrier->wanted = barrier->per_phase;
}

// ---- async.c ------------------------------------------------------------------------------------
// Asynchronous copies into shared memory and the mbarriers that track them (PTX ISA, "cp.async",
// "cp.async.bulk", "mbarrier").
//
// A copy reads its bytes when it is issued. They reach shared memory as late as the program allows:
// when their thread waits for them (cp.async.wait_group), or when some thread tests the mbarrier
// that tracks them. A program that lacks the wait therefore always reads the old bytes; on a GPU
// it does so sometimes. Copies that no thread waits for never arrive.

typedef struct sim_warp sim_warp;
typedef struct sim_block sim_block;

enum { SIM_COPY_MAX_BYTES = 16 }; // of one lane of a cp.async

// One cp.async of one warp.
typedef struct sim_copy {
    const sim_instr *instr;                           // the cp.async
    const sim_function *function;                     // contains it
    uint64_t number;                                  // counts the copies of the warp
    uint32_t lanes;                                   // lanes whose bytes have not arrived
    uint32_t bytes;                                   // per lane
    uint32_t offset[SIM_WARP_LANES];                  // in the block's shared memory
    uint32_t group[SIM_WARP_LANES];                   // number of the lane's group, from 0
    uint8_t data[SIM_WARP_LANES][SIM_COPY_MAX_BYTES]; // read at the issue, written to shared
                                                      // memory when a wait allows it
} sim_copy;

// Copies of a warp that have not arrived, oldest first: items[first, count).
typedef struct sim_copies {
    sim_copy *items;                 // [capacity]
    uint32_t first, count, capacity; // see above
    uint64_t issued;                 // copies that the warp has issued in the present block
    bool used;                       // in the present block: `issued` or `groups` may not be 0
    uint32_t groups[SIM_WARP_LANES]; // groups committed so far
} sim_copies;

// A copy for the caller to fill; `number` is set. NULL: no host memory; the block has faulted.
sim_copy *sim_async_copy(sim_warp *warp);
void sim_async_commit(sim_warp *warp, uint32_t lanes);
// All groups of these lanes except the `keep` latest arrive; `all`: every copy, committed or not.
void sim_async_wait(sim_warp *warp, uint32_t lanes, uint32_t keep, bool all);

// A reduction: combines elements of `type` in `to` with those in `from` by the sim_atomic `atomic`.
typedef void (*sim_combine_fn)(uint8_t type, uint8_t atomic, uint8_t *to, const uint8_t *from,
                               uint32_t bytes);

// Bytes and arrivals that reach shared memory and an mbarrier when a thread tests the mbarrier.
typedef struct sim_delivery {
    struct sim_delivery *next;    // the next one issued, or NULL
    const sim_instr *instr;       // the instruction that issued it
    const sim_function *function; // contains the instruction
    sim_warp *warp;               // the warp that issued it
    sim_block *to;                // has the mbarrier
    sim_block *place;             // whose shared memory gets the bytes: `to`, or its peer
    uint32_t lanes;               // of the warp
    uint32_t mbarrier;            // its offset in shared memory
    uint64_t copies;        // arrival of cp.async: copies of `lanes` below this number arrive too
    uint32_t arrivals;      // at the mbarrier
    uint32_t offset, bytes; // bulk copy: destination in shared memory
    uint32_t completes;     // bulk copy: bytes that the mbarrier counts
    uint32_t row_bytes;     // swizzled: bytes of each row, whose pitch is the span of the swizzle
    uint8_t swizzle;        // bulk copy: sim_tensor_map.swizzle
    uint8_t type, atomic;   // of `combine`
    sim_combine_fn combine; // bulk reduction; NULL: a copy, which overwrites
    uint8_t data[];         // bulk copy: [bytes]
} sim_delivery;

// Appends a delivery of the warp to block `to` with room for `bytes` of data; NULL as above.
sim_delivery *sim_async_delivery(sim_warp *warp, sim_block *to, uint32_t bytes);
// Deliveries to the mbarrier at `offset` arrive: all of them, or only until a phase ends, because
// the others may arrive later on hardware.
void sim_async_deliver(sim_block *block, uint32_t offset, bool until_phase_ends);

// Report to observers that a copy into shared memory begins, or that its bytes arrive.
void sim_async_notify_copy(sim_warp *warp, const sim_copy *copy, sim_access_kind kind,
                           uint32_t lanes);
void sim_async_notify_delivery(const sim_delivery *delivery, sim_access_kind kind);

void sim_async_reset(sim_block *block); // before a block begins: drops all copies and deliveries
// Frees the list of the warp's copies.
void sim_async_free_warp(sim_warp *warp);

// ---- products of warp groups --------------------------------------------------------------------
// Products of a warp group (wgmma) that a warp has issued and not yet waited for. They are computed
// when they are issued; only an observer needs this list.

typedef struct sim_warp sim_warp;

// One wgmma.mma_async of one warp.
typedef struct sim_product {
    const sim_instr *instr;       // the instruction
    const sim_function *function; // contains it
    uint64_t a, b;                // descriptors; a: only where A is in shared memory
    uint32_t group;               // number of the group that it will belong to
    uint32_t begun;               // for the observer: time of its first event; 0: none yet
} sim_product;

// All products of a warp, oldest first.
typedef struct sim_products {
    sim_product *items;       // [capacity]
    uint32_t count, capacity; // of `items`: used, allocated
    uint32_t groups;          // groups committed so far by the present block
} sim_products;

// A product for the caller to fill; NULL: no host memory, and the block has faulted.
sim_product *sim_product_add(sim_warp *warp);

// ---- block.c, frame.c ---------------------------------------------------------------------------

typedef struct sim_block sim_block;
typedef struct sim_frame sim_frame;

enum {
    SIM_SITES = 64,        // cached allocations, shared by the memory instructions of a function
    SIM_REGULAR_BASES = 4, // address registers that are known to be regular
    SIM_MAX_CALL_DEPTH = 4096,
    SIM_POLLS = 8,
    SIM_POLL_LIMIT = 32,   // idle polls after which a split counts as spinning
    SIM_SCRATCH_SLOTS = 6, // operands of a collective that spans several instructions
    SIM_SCRATCH_SLOT_BYTES = 256
};
// The mask of a full warp.
#define SIM_ALL_LANES UINT32_C(0xFFFFFFFF)

// Whether it adds integers and returns the old value, as a ticket counter does.
static inline bool sim_is_counting_atom(const sim_instr *instr) {
    bool whole = instr->type == PTX_U32 || instr->type == PTX_S32 || instr->type == PTX_U64;
    return sim_is_atom(instr) && instr->variant == SIM_ATOMIC_ADD && whole &&
           instr->dst != SIM_NO_SLOT;
}
static inline uint32_t sim_lane_count(uint32_t lanes) { // mostly all 32
    return lanes == SIM_ALL_LANES ? SIM_WARP_LANES : (uint32_t)__builtin_popcount(lanes);
}
// In sim_warp.polls: memory was written since the time slice began.
#define SIM_POLL_CHANGED (UINT64_C(1) << 63)

// Registers of one call of one function. Lanes that called together share the frame, even after
// they diverge.
struct sim_frame {
    uint8_t *registers;           // function->frame_bytes, 64-byte aligned
    const sim_function *function; // the called function
    sim_frame *caller;            // NULL in the entry function
    uint32_t return_pc;           // in the caller
    const sim_call *call;         // receives the results
    uint32_t local_base; // offset of the function's local memory in each thread's, in bytes
    uint32_t depth;      // calls below the entry function
    bool allocates;      // it calls alloca: `tops` and `highest` are valid
    uint32_t tops[SIM_WARP_LANES];        // top of each lane's stack, in bytes of its local memory
    uint32_t highest;                     // largest top so far
    uint64_t launch_serial, block_serial; // specials are valid for these; launch 0: for none
    uint32_t shared_first;                // addresses of shared memory are valid for this one
    sim_dim3 block_size;                  // specials that differ by lane are valid for this size
    sim_frame *next;                      // in the list of unused frames of its function
    sim_frame *next_owned;                // in the warp's list of all frames
};

// State of a split.
typedef enum sim_split_state {
    SIM_SPLIT_READY,
    SIM_SPLIT_SYNC,   // waits at a *.sync instruction for the lanes in its mask
    SIM_SPLIT_BARRIER // waits at a block barrier
} sim_split_state;

// Lanes of a warp at the same instruction.
typedef struct sim_split {
    uint32_t pc, lanes;     // program counter; mask of lanes
    uint32_t entry;         // index of their next reconvergence point
    uint32_t mask;          // SYNC: member lanes
    uint8_t state, barrier; // sim_split_state; BARRIER: number of the barrier
    sim_frame *frame;       // frame of their call
} sim_split;

// A point where lanes reconverge. Of a branch: `pc` of `frame`. Of a call: `frame` is the callee's,
// and the lanes reconverge in the caller when all have returned. Lanes that exit or are released
// early are removed from `expected`.
typedef struct sim_reconvergence_point {
    uint32_t pc;                // SIM_PC_EXIT for calls and for the root: never reached by running
    uint32_t expected, arrived; // lanes that will arrive, and those that have
    uint32_t parent;            // next entry of the lanes; the root is its own parent
    bool is_call;               // of a call, not of a branch
    sim_frame *frame;           // see above
} sim_reconvergence_point;
enum { SIM_ROOT_ENTRY = 0 };

// In sim_warp.watched.
enum {
    SIM_WATCHED_BY_OBSERVER = 1,
    SIM_WATCHED_BY_STEPPER = 2,
    SIM_WATCHED_WHERE_TOUCHED = 4 // by the observer, only at instructions with sim_instr.touches
};

// Why a straight-line run stopped early.
typedef enum sim_interrupt {
    SIM_INTERRUPT_NONE,
    SIM_INTERRUPT_FAULT,    // block->fault is filled
    SIM_INTERRUPT_RETRY,    // not executed: the running split changed
    SIM_INTERRUPT_DRAW,     // not executed: the block waits for permission (sim_block_draw)
    SIM_INTERRUPT_GIVE_WAY, // not executed: the block's other warps come first (sim_warp_give_way)
    SIM_INTERRUPT_WATCH,    // executed; the warp is watched from the next instruction on
    SIM_INTERRUPT_SPIN      // executed; the warp polls without effect, and others should run
} sim_interrupt;

typedef struct sim_site { // the allocation of an instruction's last access: [base, end)
    uint64_t base, end;   // device addresses
    uint64_t last;        // of a load of rows: address of lane 0
} sim_site;

typedef struct sim_poll {   // the last values of a synchronising load
    const sim_instr *instr; // the load
    uint64_t digest;        // of the values that it read
} sim_poll;

// Search for a state of a warp that repeats (endless.c). All 0 before the first state.
typedef struct sim_repetition {
    uint64_t state;        // digest that later states are compared with
    uint64_t steps, limit; // steps since; after `limit` steps a new state replaces it
    uint64_t begun;        // sim_watch.steps at that state
} sim_repetition;

// A running warp: its splits, its frames, and what its lanes wait for.
struct sim_warp {
    // The running split. lanes == 0: none.
    uint8_t *registers;         // frame->registers
    const sim_instr *run_end;   // the run loop stops before this; handlers lower it to stop early
    const struct sim_run *runs; // frame->function->bound->runs
    const sim_instr *code;      // frame->function->code
    uint32_t pc, lanes;
    sim_frame *frame;
    uint32_t entry;
    uint32_t interrupt; // sim_interrupt
    int64_t quantum;    // instructions until its time slice ends or an event in it is due

    // Memory as the handlers see it.
    uint8_t *origin; // host = origin + device address
    uint8_t *shared;
    uint32_t shared_bytes;
    uint32_t shared_first;  // the shared address of its first byte
    uint8_t *shared_origin; // host = shared_origin + shared address of the block
    uint32_t local_bytes;   // per lane: end of the local memory of the running frame
    uint8_t *local;         // words of the lanes are interleaved: see sim_local_word
    const uint8_t *params;
    uint32_t param_bytes;
    bool counting, observing;
    uint8_t watched;          // bits SIM_WATCHED_*
    sim_row_notes *notes;     // of the observer, or NULL
    sim_warp_record record;   // when counting
    const sim_device *legacy; // counts by sim_legacy_* (memory/access.h) for this device; NULL: not
    sim_site sites[SIM_SITES];
    uint64_t sites_version; // version of the memory that `sites` are valid for
    // Address registers with regular lanes in the present run: sim_instr.shape for full warps,
    // sim_instr.base for others (lanes.h); 0: none.
    uint32_t regular[SIM_REGULAR_BASES];
    const struct sim_run *last_run; // the last one that a full warp executed to its end, or NULL

    sim_block *block;  // contains the warp
    uint32_t index;    // in the block
    uint32_t existing; // lanes that exist for the size of the block
    uint32_t alive;    // of these, lanes that have not exited
    uint32_t carry;    // condition code of add.cc .. by lane
    uint32_t apart;    // lanes that an activemask has separated (sim_sync_part)

    _Alignas(16) sim_split splits[SIM_WARP_LANES + 1]; // all but the running one, oldest first
    uint32_t split_count, ready_count;                 // of `splits`: all, and those that can run
    sim_reconvergence_point *points;                   // the reconvergence table, by entry
    uint32_t point_count, point_capacity, free_point;  // free ones are linked through parent
    sim_frame *frames;                                 // all frames of the warp
    sim_frame **unused_frames;                         // lists by function
    uint32_t pool_count;                               // of functions in unused_frames
    uint32_t local_capacity;                           // bytes per lane that `local` holds

    // Polling: consecutive synchronising accesses that neither saw nor made a change; see
    // sim_note_poll.
    uint64_t polls; // low half: their number; SIM_POLL_CHANGED: memory was written in this slice
    sim_poll recent_polls[SIM_POLLS];
    uint32_t polled_mbarrier; // offset + 1 of one whose phase had not ended at the last test
    uint64_t settled_at;      // block->executed when splits last changed
    uint32_t poll_limit;      // idle polls after which a split counts as spinning
    uint32_t far;             // bits: which of the worker's far lines equal memory now
    bool gave_way;            // other warps have run since it came to its instruction
    bool spun;                // the last time slice ended in polling, and nothing was written
    bool untracked;           // it has changed memory in a way that `memory` does not cover
    uint64_t memory;          // sum of sim_change_digest of the changes by atomics and single lanes
    bool moved, moved_since;  // it has executed something since the state of `repetition`; since
                              // the last look at it
    bool repeats;             // it loops for ever, unless memory changes
    uint32_t turned;          // number of changes of the order of its ready splits since then
    sim_repetition repetition; // of its states
    uint64_t changes_seen;     // sim_watch.changes at the last look
    uint64_t clocks_read;      // bits, pc modulo 64: clocks read since the state of `repetition`
    uint64_t cycle;            // its present cycle where the kernel reads clocks, else 0
    sim_copies copies;         // cp.async that have not arrived
    sim_products products;     // wgmma that have not ended, for an observer
    _Alignas(64) uint8_t scratch[SIM_SCRATCH_SLOTS * SIM_SCRATCH_SLOT_BYTES];
};

// Where a shared address of the cluster lies (base/base.h): in the warp's own block as an offset
// below SIM_WINDOW_BYTES, in the block of rank r at (r + 1) * SIM_WINDOW_BYTES and more. What lies
// below SIM_SHARED_START of its block comes out at the end of the window, which no block reaches.
static inline uint64_t sim_shared_offset(const sim_warp *warp, uint64_t address) {
    uint64_t rank = address / SIM_WINDOW_BYTES;
    uint64_t within = (address - SIM_SHARED_START) % SIM_WINDOW_BYTES;
    if (rank == warp->shared_first / SIM_WINDOW_BYTES) return within;
    return rank <= UINT32_MAX / SIM_WINDOW_BYTES ? (rank + 1) * SIM_WINDOW_BYTES + within : address;
}
// Of an address of 64 bits, which may be a generic one.
static inline uint64_t sim_wide_shared_offset(const sim_warp *warp, uint64_t address) {
    bool generic = address - SIM_SHARED_WINDOW < SIM_CLUSTER_WINDOW_BYTES;
    return sim_shared_offset(warp, generic ? address - SIM_SHARED_WINDOW : address);
}

// Local memory keeps word w of lane i at 32-bit index w * 32 + i, as the hardware does, so that
// lanes that use the same variable touch neighbouring words.
static inline uint64_t sim_local_word(uint64_t offset, uint32_t lane) {
    return (offset / 4 * SIM_WARP_LANES + lane) * 4 + offset % 4;
}

// The running split wrote memory, so it does not only wait.
static inline void sim_note_change(sim_warp *warp) {
    warp->polls = SIM_POLL_CHANGED;
    warp->far = 0;
    warp->untracked = true;
}
// The same for a change with a known digest. Memory that returns to an earlier state has its sum.
static inline void sim_note_tracked(sim_warp *warp, uint64_t digest) {
    warp->polls = SIM_POLL_CHANGED;
    warp->far = 0;
    warp->memory += digest;
}
static inline uint64_t sim_address_digest(const void *address, uint64_t value) {
    uint64_t mixed = ((uintptr_t)address + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ value;
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return mixed ^ mixed >> 32;
}
// Digest of a change of up to 8 bytes at `address` from `old` to `now`.
static inline uint64_t sim_change_digest(const void *address, const void *old, const void *now,
                                         size_t bytes) {
    uint64_t before = 0, after = 0;
    memcpy(&before, old, bytes);
    memcpy(&after, now, bytes);
    return sim_address_digest(address, after) - sim_address_digest(address, before);
}
// The running split read memory that others may write and found no change. After poll_limit such
// reads other warps run.
static inline void sim_note_poll(sim_warp *warp, const sim_instr *instr) {
    warp->far = 0;
    if ((uint32_t)++warp->polls <= warp->poll_limit) return;
    warp->interrupt = SIM_INTERRUPT_SPIN;
    warp->run_end = instr + 1;
}

// Lanes begin with the function of a frame that their warp has taken.
void sim_observe_entry(sim_warp *warp, const sim_frame *frame, uint32_t lanes);

// frame.c
void sim_warp_destroy(sim_warp *warp);
// Prepares the parts that stay the same for a launch.
void sim_warp_prepare(sim_warp *warp, sim_block *block, uint32_t index);
// Sets all lanes to the first instruction of the grid's function.
bool sim_warp_start(sim_warp *warp);
typedef enum sim_warp_stop {
    SIM_WARP_BLOCKED, // no split is ready: the warp waits for a barrier or has ended
    SIM_WARP_QUANTUM, // its time slice has ended
    SIM_WARP_SPIN,    // every ready split polls without effect
    SIM_WARP_FAULT
} sim_warp_stop;
// Runs until no split is ready or the time slice ends (ops/run.c, for each host variant).
typedef sim_warp_stop (*sim_warp_run_fn)(sim_warp *warp);

// A frame of `function` with constants and specials filled and registers as nobody has written
// them; NULL: no memory.
sim_frame *sim_frame_take(sim_warp *warp, const sim_function *function);
void sim_frame_give(sim_warp *warp, sim_frame *frame);
// The value of a special register other than clocks for a lane.
uint64_t sim_special_value(const sim_warp *warp, sim_special_id id, uint32_t lane);
void sim_frames_reset(sim_warp *warp); // all frames are unused again
void sim_frames_free(sim_warp *warp);  // before another program runs: frames point to functions
// Makes local memory at least base + bytes per lane, and poisons [base, base + bytes) of `lanes`.
bool sim_warp_reserve_local(sim_warp *warp, uint32_t lanes, uint32_t base, uint32_t bytes);
