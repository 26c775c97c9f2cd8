// SPDX-License-Identifier: MIT
// State of a running warp: frames of registers, splits (groups of lanes with one program counter)
// and the reconvergence table. Private to the executor; plain data, so that a reader can print it.
//
// A split is what a classic SIMT stack calls the top of the stack, but any split that is ready may
// run: after a branch diverges, both sides are splits that wait for each other at the branch's
// reconvergence point, which is an entry of the reconvergence table (the "multi-path" organisation
// of ElTantawy et al., HPCA 2014). Running the newest ready split first gives the order of a stack;
// running another one gives the independent thread scheduling of Volta when the first waits for
// something that only the other can do.
#ifndef SIM_WARPS_WARP_H
#define SIM_WARPS_WARP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "program/ir.h"
#include "record/record.h"
#include "warps/grid.h"

// ---- mbarriers ----------------------------------------------------------------------------------
// mbarrier objects: 8 bytes of shared memory, opaque to programs.

//   bits 0..19   arrivals still wanted in this phase
//   bits 20..39  arrivals that a phase wants
//   bits 40..60  bytes still expected, 21 bits in two's complement
//   bit 62       parity of the phase
//   bits 61, 63  0 and 1: initialised; poison has both set
enum { SIM_MBARRIER_MAX = (1 << 20) - 1 };
typedef struct sim_mbarrier {
    uint32_t wanted, per_phase; // arrivals: still wanted in this phase, and wanted in each
    int32_t bytes;              // still expected
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

// Ends the phase when nothing is missing any more.
static inline void sim_mbarrier_settle(sim_mbarrier *barrier) {
    if (barrier->wanted != 0 || barrier->bytes != 0) return;
    barrier->parity = !barrier->parity;
    barrier->wanted = barrier->per_phase;
}

// ---- async.c ------------------------------------------------------------------------------------
// Asynchronous copies into shared memory and the barrier objects that tell of them (PTX ISA,
// "cp.async", "cp.async.bulk", "mbarrier").
//
// The bytes of a copy are read when it is issued and reach shared memory as late as the program
// allows: when their thread waits for them (cp.async.wait_group), or when some thread looks at the
// mbarrier that they are announced to. A missing wait therefore reads what was there before, every
// time, which on a GPU happens now and then. Copies that nobody waits for never arrive.

typedef struct sim_warp sim_warp;
typedef struct sim_block sim_block;

enum { SIM_COPY_MAX_BYTES = 16 }; // of one lane of a cp.async

// One cp.async of one warp.
typedef struct sim_copy {
    const sim_instr *instr;                           // the cp.async
    const sim_function *function;                     // in which it stands
    uint64_t number;                                  // counts the copies of the warp
    uint32_t lanes;                                   // whose bytes are still under way
    uint32_t bytes;                                   // a lane
    uint32_t offset[SIM_WARP_LANES];                  // in the block's shared memory
    uint32_t group[SIM_WARP_LANES];                   // the lane's groups are counted from 0
    uint8_t data[SIM_WARP_LANES][SIM_COPY_MAX_BYTES]; // read at the issue, written to shared
                                                      // memory when a wait allows it
} sim_copy;

// Copies of a warp that are under way, oldest first: items[first, count).
typedef struct sim_copies {
    sim_copy *items;                 // [capacity]
    uint32_t first, count, capacity; // see above
    uint64_t issued;                 // copies of the warp so far, by the present block
    bool used;                       // by the present block: `issued` or `groups` may not be 0
    uint32_t groups[SIM_WARP_LANES]; // committed so far
} sim_copies;

// A copy for the caller to fill, `number` given; NULL: no host memory, and the block has faulted.
sim_copy *sim_async_copy(sim_warp *warp);
void sim_async_commit(sim_warp *warp, uint32_t lanes);
// All groups of these lanes but the `keep` latest arrive; `all`: everything, committed or not.
void sim_async_wait(sim_warp *warp, uint32_t lanes, uint32_t keep, bool all);

// What a reduction makes of the elements of `type` in `to`: sim_atomic with those in `from`.
typedef void (*sim_combine_fn)(uint8_t type, uint8_t atomic, uint8_t *to, const uint8_t *from,
                               uint32_t bytes);

// What reaches shared memory, and the mbarrier at offset `mbarrier`, when a thread looks at it.
typedef struct sim_delivery {
    struct sim_delivery *next;    // issued after it; NULL: the last
    const sim_instr *instr;       // that announced it
    const sim_function *function; // in which it stands
    sim_warp *warp;               // that announced it
    sim_block *to;                // in whose shared memory it arrives
    uint32_t lanes;               // of the warp
    uint32_t mbarrier;            // offset in shared memory
    uint64_t copies;        // arrival of cp.async: those of `lanes` with smaller numbers come along
    uint32_t arrivals;      // at the mbarrier
    uint32_t offset, bytes; // bulk copy: its place in shared memory
    uint32_t completes;     // bulk copy: bytes that the mbarrier is told of
    uint32_t row_bytes;     // swizzled: of each row, whose pitch is the swizzle's span
    uint8_t swizzle;        // bulk copy: sim_tensor_map.swizzle
    uint8_t type, atomic;   // of `combine`
    sim_combine_fn combine; // bulk copy: what it does instead of overwriting, or NULL
    uint8_t data[];         // bulk copy: [bytes]
} sim_delivery;

// Appends a delivery of the warp to block `to` with room for `bytes`; NULL as above.
sim_delivery *sim_async_delivery(sim_warp *warp, sim_block *to, uint32_t bytes);
// What is announced to the mbarrier at `offset` arrives: all of it, or only until a phase ends, as
// late as hardware may be with the rest.
void sim_async_deliver(sim_block *block, uint32_t offset, bool until_phase_ends);

// For observers, of copies into shared memory: they begin, or their bytes arrive.
void sim_async_notify_copy(sim_warp *warp, const sim_copy *copy, sim_access_kind kind,
                           uint32_t lanes);
void sim_async_notify_delivery(const sim_delivery *delivery, sim_access_kind kind);

void sim_async_reset(sim_block *block); // before a block begins: nothing is under way
// Frees what the warp has kept for its copies.
void sim_async_free_warp(sim_warp *warp);

// ---- products of warp groups --------------------------------------------------------------------
// Products of a warp group (wgmma) that a warp has issued and not yet waited for. They are computed
// when they are issued; this is kept for an observer alone.

typedef struct sim_warp sim_warp;

// One wgmma.mma_async of one warp.
typedef struct sim_product {
    const sim_instr *instr;       // the instruction
    const sim_function *function; // in which it stands
    uint64_t a, b;                // descriptors; a: only where A is in shared memory
    uint32_t group;               // number of the group that it will belong to
    uint32_t begun;               // the observer's: when it was told of it first; 0: not yet
} sim_product;

// All of a warp, oldest first.
typedef struct sim_products {
    sim_product *items;       // [capacity]
    uint32_t count, capacity; // of `items`: used, allocated
    uint32_t groups;          // committed so far by the present block
} sim_products;

// A product for the caller to fill; NULL: no host memory, and the block has faulted.
sim_product *sim_product_add(sim_warp *warp);

// ---- block.c, frame.c ---------------------------------------------------------------------------

typedef struct sim_block sim_block;
typedef struct sim_frame sim_frame;

enum {
    SIM_SITES = 64,        // cached allocations, dealt out to the memory instructions of a function
    SIM_REGULAR_BASES = 4, // address registers known to be regular, by number
    SIM_MAX_CALL_DEPTH = 4096,
    SIM_POLLS = 8,
    SIM_POLL_LIMIT = 32,   // idle polls before a split is taken to be spinning
    SIM_SCRATCH_SLOTS = 6, // operands of a collective that spans several places in the code
    SIM_SCRATCH_SLOT_BYTES = 256
};
// The mask of a full warp.
#define SIM_ALL_LANES UINT32_C(0xFFFFFFFF)

// Whether it adds whole numbers and returns what was there, as a counter of tickets does.
static inline bool sim_is_counting_atom(const sim_instr *instr) {
    bool whole = instr->type == PTX_U32 || instr->type == PTX_S32 || instr->type == PTX_U64;
    return instr->op == SIM_OP_ATOM && instr->variant == SIM_ATOMIC_ADD && whole &&
           instr->dst != SIM_NO_SLOT;
}
static inline uint32_t sim_lane_count(uint32_t lanes) { // mostly all of them
    return lanes == SIM_ALL_LANES ? SIM_WARP_LANES : (uint32_t)__builtin_popcount(lanes);
}
// In sim_warp.polls: memory was written since the time slice began.
#define SIM_POLL_CHANGED (UINT64_C(1) << 63)

// Registers of one call of one function. Lanes that called together share it, diverged or not.
struct sim_frame {
    uint8_t *registers;            // function->frame_bytes, 64-byte aligned
    const sim_function *function;  // whose registers they are
    sim_frame *caller;             // NULL in the entry function
    uint32_t return_pc;            // in the caller
    const sim_call *call;          // where results go
    uint32_t local_base;           // byte offset of the function's local memory in each thread's
    uint32_t depth;                // calls below the entry function
    bool allocates;                // by alloca: `tops` and `highest` are valid
    uint32_t tops[SIM_WARP_LANES]; // of each lane's stack, in bytes of its local memory
    uint32_t highest;              // of all tops so far
    uint64_t launch_serial, block_serial; // what specials were filled for; launch 0: never
    sim_dim3 block_size;                  // what specials that differ by lane were filled for
    sim_frame *next;                      // in the list of unused frames of its function
    sim_frame *next_owned;                // in its list of all frames
};

// What lanes that go together are doing.
typedef enum sim_split_state {
    SIM_SPLIT_READY,
    SIM_SPLIT_SYNC,   // at a *.sync instruction, waiting for the lanes that its mask names
    SIM_SPLIT_BARRIER // at a block barrier
} sim_split_state;

// Lanes of a warp that are at the same instruction.
typedef struct sim_split {
    uint32_t pc, lanes;     // where they are, and which they are
    uint32_t entry;         // of the reconvergence table: where these lanes will wait for others
    uint32_t mask;          // SYNC: member lanes
    uint8_t state, barrier; // sim_split_state; BARRIER: its number
    sim_frame *frame;       // of their call
} sim_split;

// Lanes that shall meet. A branch entry: at `pc` of `frame`. A call entry: `frame` is the callee's,
// and the lanes meet in the caller when all have returned. Lanes that exit or are released early
// leave `expected`.
typedef struct sim_reconvergence_point {
    uint32_t pc;                // SIM_PC_EXIT for calls and for the root: never reached by running
    uint32_t expected, arrived; // lanes that will come here, and those that have
    uint32_t parent;            // entry that the met lanes go on to; the root is its own parent
    bool is_call;               // the end of a call, not of a branch
    sim_frame *frame;           // that the met lanes go on in
} sim_reconvergence_point;
enum { SIM_ROOT_ENTRY = 0 };

// In sim_warp.watched.
enum {
    SIM_WATCHED_BY_OBSERVER = 1,
    SIM_WATCHED_BY_STEPPER = 2,
    SIM_WATCHED_WHERE_TOUCHED = 4 // the observer is told of those with sim_instr.touches
};

// Why a straight-line run stopped early.
typedef enum sim_interrupt {
    SIM_INTERRUPT_NONE,
    SIM_INTERRUPT_FAULT, // block->fault is filled
    SIM_INTERRUPT_RETRY, // the running split changed; nothing of the instruction was done
    SIM_INTERRUPT_DRAW,  // nothing was done: the block waits until it may (sim_block_draw)
    SIM_INTERRUPT_WATCH, // executed; the warp is watched from the next instruction on
    SIM_INTERRUPT_SPIN   // executed, but it has been polling without effect: let others run
} sim_interrupt;

typedef struct sim_site { // the allocation that an instruction touched last: [base, end)
    uint64_t base, end;   // device addresses
    uint64_t last;        // of a load of rows: where lane 0 was
} sim_site;

typedef struct sim_poll {   // what a synchronising load saw last time
    const sim_instr *instr; // the load
    uint64_t digest;        // of the values that it read
} sim_poll;

// Whether the states of a warp come back (endless.c). All 0 before the first.
typedef struct sim_repetition {
    uint64_t state;        // that the next ones are compared with
    uint64_t steps, limit; // so far; after as many there is another
    uint64_t begun;        // sim_watch.steps then
} sim_repetition;

// A warp that is being run: its splits, its frames, and what its lanes wait for.
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
    int64_t quantum;    // instructions until its time slice is over or something is due in it

    // Memory as the handlers see it.
    uint8_t *origin; // host = origin + device address
    uint8_t *shared;
    uint32_t shared_bytes;
    uint32_t local_bytes; // a lane, as far as the running frame may reach
    uint8_t *local;       // words of the lanes interleaved: see sim_local_word
    const uint8_t *params;
    uint32_t param_bytes;
    bool counting, observing;
    uint8_t watched;          // as bits: who is told of each instruction (grid.h)
    sim_row_notes *notes;     // the observer's, or NULL
    sim_warp_record record;   // when counting
    const sim_device *legacy; // counts by memory/access.h; NULL: by memory/access.h
    sim_site sites[SIM_SITES];
    uint64_t sites_version; // of the memory that they are of
    // Of address registers whose lanes are found to be regular in the present run, full warps'
    // sim_instr.shape, others' sim_instr.base (lanes.h); 0: none.
    uint32_t regular[SIM_REGULAR_BASES];
    const struct sim_run *last_run; // that was executed, by a full warp and to its end; or NULL

    sim_block *block;  // that it belongs to
    uint32_t index;    // in the block
    uint32_t existing; // lanes that the block's size gives this warp
    uint32_t alive;    // of these, not yet exited
    uint32_t carry;    // condition code of add.cc .. by lane
    uint32_t apart;    // lanes that have been separated at an activemask (sim_sync_part)

    _Alignas(16) sim_split splits[SIM_WARP_LANES + 1]; // all but the running one, oldest first
    uint32_t split_count, ready_count;                 // of `splits`: all, and those that can run
    sim_reconvergence_point *points;                   // the reconvergence table, by entry
    uint32_t point_count, point_capacity, free_point;  // free ones are linked through parent
    sim_frame *frames;                                 // all of them
    sim_frame **unused_frames;                         // lists by function
    uint32_t pool_count;                               // of functions in unused_frames
    uint32_t local_capacity;                           // bytes per lane that `local` holds

    // Polling: synchronising accesses in a row that neither saw nor made a change; see
    // sim_note_poll.
    uint64_t polls; // low half: how many; SIM_POLL_CHANGED: memory was written in this slice
    sim_poll recent_polls[SIM_POLLS];
    uint32_t polled_mbarrier; // offset + 1 of one whose phase had not ended when looked at last
    uint64_t settled_at;      // block->executed when splits last changed
    uint32_t poll_limit;      // idle polls before a split is taken to be spinning
    uint32_t far;             // as bits: which of the worker's far lines are those of memory now
    bool spun;                // the last time slice ended with that, and nothing was written
    bool untracked;           // it has changed memory by more than `memory` holds
    uint64_t memory; // sum of sim_change_digest of what atomics and single lanes have changed
    bool moved, moved_since;   // it has executed something since its repetition's state; since it
                               // was looked at last
    bool repeats;              // it goes round for ever, unless memory changes
    uint32_t turned;           // how often its ready splits have changed places since
    sim_repetition repetition; // of its states
    uint64_t changes_seen;     // sim_watch.changes at the last look
    uint64_t clocks_read;      // as bits, pc modulo 64: since the repetition's state
    uint64_t cycle;            // to which it has come, where the kernel reads clocks; else 0
    sim_copies copies;         // cp.async under way
    sim_products products;     // wgmma likewise, for an observer
    _Alignas(64) uint8_t scratch[SIM_SCRATCH_SLOTS * SIM_SCRATCH_SLOT_BYTES];
};

// Local memory keeps word w of lane i at 32-bit index w * 32 + i, as the hardware does, so that
// lanes that use the same variable touch neighbouring words.
static inline uint64_t sim_local_word(uint64_t offset, uint32_t lane) {
    return (offset / 4 * SIM_WARP_LANES + lane) * 4 + offset % 4;
}

// This split wrote memory, so it is not just waiting.
static inline void sim_note_change(sim_warp *warp) {
    warp->polls = SIM_POLL_CHANGED;
    warp->far = 0;
    warp->untracked = true;
}
// The same of a change whose digest is known: memory that is as it was before has the same sum.
static inline void sim_note_tracked(sim_warp *warp, uint64_t digest) {
    warp->polls = SIM_POLL_CHANGED;
    warp->far = 0;
    warp->memory += digest;
}
static inline uint64_t sim_place_digest(const void *place, uint64_t value) {
    uint64_t mixed = ((uintptr_t)place + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ value;
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return mixed ^ mixed >> 32;
}
// Of up to 8 bytes at `place` that become others.
static inline uint64_t sim_change_digest(const void *place, const void *old, const void *now,
                                         size_t bytes) {
    uint64_t before = 0, after = 0;
    memcpy(&before, old, bytes);
    memcpy(&after, now, bytes);
    return sim_place_digest(place, after) - sim_place_digest(place, before);
}
// It looked at memory that others may write and found nothing new. After poll_limit times it
// gives way.
static inline void sim_note_poll(sim_warp *warp, const sim_instr *instr) {
    warp->far = 0;
    if ((uint32_t)++warp->polls <= warp->poll_limit) return;
    warp->interrupt = SIM_INTERRUPT_SPIN;
    warp->run_end = instr + 1;
}

// frame.c
void sim_warp_destroy(sim_warp *warp);
// For each launch: the parts that no block changes.
void sim_warp_prepare(sim_warp *warp, sim_block *block, uint32_t index);
// Puts all lanes at the first instruction of the grid's function.
bool sim_warp_start(sim_warp *warp);
typedef enum sim_warp_stop {
    SIM_WARP_BLOCKED, // nothing ready: waits for a barrier or has ended
    SIM_WARP_QUANTUM, // its time slice is over
    SIM_WARP_SPIN,    // every ready split polls without effect
    SIM_WARP_FAULT
} sim_warp_stop;
// Runs until nothing is ready or its time slice is over (ops/run.c, for each host variant).
typedef sim_warp_stop (*sim_warp_run_fn)(sim_warp *warp);

// frame.c A frame of `function` with constants and specials filled and registers zeroed; NULL when
// memory is short.
sim_frame *sim_frame_take(sim_warp *warp, const sim_function *function);
void sim_frame_give(sim_warp *warp, sim_frame *frame);
// What a special register other than clocks has for a lane.
uint64_t sim_special_value(const sim_warp *warp, sim_special_id id, uint32_t lane);
void sim_frames_reset(sim_warp *warp); // all frames are unused again
void sim_frames_free(
    sim_warp *warp); // before another program runs: frames point into their functions
// Makes local memory at least base + bytes per lane, and poisons [base, base + bytes) of `lanes`.
bool sim_warp_reserve_local(sim_warp *warp, uint32_t lanes, uint32_t base, uint32_t bytes);

#endif
