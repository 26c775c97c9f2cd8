// SPDX-License-Identifier: MIT
// What a running grid tells an observer: accesses, synchronisation, the lives of blocks.
// warps/observe.h makes these events.
#ifndef SIM_WARPS_EVENTS_H
#define SIM_WARPS_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "program/ir.h"

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
    uint64_t bits;  // mbarriers: the object (warps/mbarrier.h) after the event
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

#endif
