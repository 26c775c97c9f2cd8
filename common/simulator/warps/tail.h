// SPDX-License-Identifier: MIT
// Part of the way of a warp that goes on long after the others, for the timing model: the blocks
// that timing/sm records are seldom those with such a warp, and their paths end before its end. In
// each turn (what a warp executes without waiting for others) recording begins at marks of which
// each is twice as far as the one before, and only if no warp has been followed so far. What is
// kept in the end follows from the virtual schedule alone: the farthest mark, and of warps that
// came as far the first one.
#ifndef SIM_WARPS_TAIL_H
#define SIM_WARPS_TAIL_H

#include "warps/path.h"

typedef struct sim_block sim_block;
typedef struct sim_warp sim_warp;

enum { SIM_TAIL_FIRST_MARK = 1 << 10 }; // instructions of a turn

// What a warp did from a mark on.
typedef struct sim_tail {
    sim_warp_path path; // what followed
    uint64_t after;     // the mark, in instructions of the turn; 0: no warp came to one
    uint64_t block;     // whose warp it is
} sim_tail;

// Of one worker.
typedef struct sim_tails {
    sim_tail kept, begun; // begun.after 0: none is recorded now
    uint64_t next;        // mark of the present turn: SIM_TAIL_FIRST_MARK when it begins
    sim_warp_path *own;   // of the warp that is followed, apart from that; NULL: none
} sim_tails;

// The warp has executed so many instructions of its turn: does what is due. Returns the number at
// which to ask again; UINT64_MAX: never.
uint64_t sim_tails_mark(sim_warp *warp, uint64_t done);
// The turn has ended.
void sim_tails_end(sim_warp *warp);
void sim_tail_free(sim_tail *tail);

// Whether `a` is kept rather than `b`.
static inline bool sim_tail_is_farther(const sim_tail *a, const sim_tail *b) {
    return a->after > b->after || (a->after == b->after && a->block < b->block);
}

#endif
