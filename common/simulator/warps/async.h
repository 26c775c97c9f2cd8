// SPDX-License-Identifier: MIT
// Asynchronous copies into shared memory and the barrier objects that tell of them (PTX ISA,
// "cp.async", "cp.async.bulk", "mbarrier").
//
// The bytes of a copy are read when it is issued and reach shared memory as late as the program
// allows: when their thread waits for them (cp.async.wait_group), or when some thread looks at the
// mbarrier that they are announced to. A missing wait therefore reads what was there before, every
// time, which on a GPU happens now and then. Copies that nobody waits for never arrive.
#ifndef SIM_WARPS_ASYNC_H
#define SIM_WARPS_ASYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "warps/grid.h"
#include "program/ir.h"

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

#endif
