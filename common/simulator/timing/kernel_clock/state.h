// SPDX-License-Identifier: MIT
// The time of a device, of a block and of a warp whose kernel reads clocks. Private to this module.
#ifndef SIM_TIMING_KERNEL_CLOCK_STATE_H
#define SIM_TIMING_KERNEL_CLOCK_STATE_H

#include "timing/kernel_clock/caches.h"
#include "timing/kernel_clock/code.h"
#include "warps/block.h"

enum {
    CLOCK_TENSOR_CORES = 4,
    CLOCK_CONSTANT_LINES = 32, // of 64 bytes: the nearest cache of constants
    CLOCK_BULK_BARRIERS = 32   // mbarriers whose copies and arrivals are followed
};

// A barrier: what its phase has seen. Two phases, because warps that have not gone on since the
// last one still read it.
typedef struct clock_barrier {
    uint32_t phase;                // counts up
    uint32_t count[2];             // arrivals
    double earliest[2], latest[2]; // of them
} clock_barrier;

// sim_grid.clocks.
struct sim_clocks {
    const sim_device *device; // whose time it is
    caches caches;            // of the device
    double now;               // cycle at which the launch begins, or the last one has ended
    uint64_t serial;          // of the launch; counts up
    bool keeps;               // time in this launch
    double *place_free;       // [sm_count][places]: when the place of a block is free
    uint32_t places;          // blocks that an SM holds at once
    uint32_t registers;       // most of any function of the program
    clock_barrier cluster;    // of the clusters, which run one after the other
};

// The time of a warp.
typedef struct clock_warp {
    const sim_frame *frame; // whose registers `ready` is about
    uint32_t next;          // pc after the last instruction; UINT32_MAX: anywhere
    double now;             // cycle in which the next instruction can issue
    double order;           // nothing that comes later can be put before this cycle
    double order_before;    // likewise at the jump or reading before the last
    double idle;            // issue slots since then that are free
    double unit_free;       // load/store unit, as far as this warp uses it
    double stored, copied;  // when its stores are in the L2, its asynchronous copies have arrived
    double latest;          // when all results are there
    // When the last product of a warp group ends, and those of the groups committed, latest first.
    double products_end, groups_end[SIM_MOST_GROUPS + 1];
    uint8_t barrier;        // waits at it; UINT8_MAX: at none
    uint32_t phase;         // of that barrier
    uint32_t cluster_phase; // in which it has come to the cluster's
    double *ready;          // [registers]: cycle at which it can be read
} clock_warp;

// A tensor core, as far as the block's warps use it for products of warp groups.
typedef struct clock_tensor {
    double free;                    // when the last product ends
    double ends[ISSUE_GROUP_QUEUE]; // of the last ones, a ring
    uint32_t next;                  // in it: the oldest one
} clock_tensor;

// sim_block.clock: one piece of memory.
typedef struct clock_block {
    sim_clocks *clocks;                       // of the device
    uint64_t launch, serial;                  // that it is about; of sim_clocks and of the block
    uint32_t warps, registers;                // there is room for
    double begin;                             // cycle
    double *place;                            // of sim_clocks.place_free
    clock_barrier barriers[SIM_BARRIERS];     // by number
    uint64_t constants[CLOCK_CONSTANT_LINES]; // the youngest first
    struct {
        uint32_t mbarrier; // its offset in shared memory + 1; 0: none
        double arrives;    // cycle at which its last copy is there and seen
    } bulk[CLOCK_BULK_BARRIERS];
    uint32_t bulk_next;                      // of `bulk`: the oldest one
    double bulk_free;                        // when the copies issued so far have moved their bytes
    clock_tensor tensor[CLOCK_TENSOR_CORES]; // of warps by their numbers
    clock_warp of[];                         // [warps], and their `ready`
} clock_block;

// The warp's time; NULL: none is kept in this launch, or there is no memory.
clock_warp *clock_warp_of(sim_warp *warp, clock_block **out_block);

// When the results of a memory instruction are there that starts at `now`; op->latency: of its
// nearest memory.
double clock_memory(clock_warp *w, clock_block *block, sim_warp *warp, const sim_instr *instr,
                    const clock_op *op, uint32_t lanes, double now);
// Threads arrive at mbarriers, which is seen at `seen`.
void clock_arrive(clock_block *block, sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                  double seen);
// A bulk copy is issued in cycle `now`; and the cycle at which a look at the mbarrier of a warp's
// first lane sees what has been announced to it.
void clock_bulk(clock_block *block, const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                double now);
double clock_bulk_seen(const clock_block *block, sim_warp *warp, const sim_instr *instr,
                       uint32_t lanes);
// When all bulk copies of the block that have been issued are there: an arrival that releases to
// the cluster is a fence, which waits for them.
double clock_bulk_all(const clock_block *block);
// When the results of a load from constant memory by a computed address are there.
double clock_constant(clock_block *block, sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                      double now);

#endif
