// SPDX-License-Identifier: MIT
// How often the launch's atomics on global memory go to one sector, and to one piece of memory that
// a slice of the L2 holds, for the timing model: the L2 does those one after the other. Different
// words of a sector go together when one instruction of a warp has them; lanes on one word pass the
// sector in turn. Counted by hashes, so that sums over workers do not depend on which of them ran a
// block; sectors that share a number are taken for one. Blocks that are on the card together share
// a window: what is hot at one time need not be at another.
#ifndef SIM_RECORD_CONTENDED_ATOMICS_H
#define SIM_RECORD_CONTENDED_ATOMICS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SIM_CONTENTION_SECTORS = 1 << 12,
    SIM_CONTENTION_PIECES = 1 << 10,
    SIM_CONTENTION_PIECE_BITS = 9, // bytes of a piece, as a power of two
    SIM_CONTENTION_WINDOWS = 64    // at most
};

// How often each number came in one window.
typedef struct sim_contention_window {
    uint32_t sector
        [SIM_CONTENTION_SECTORS]; // of sim_contended_atomics.passes, by the hash of the sector
    uint32_t
        piece[SIM_CONTENTION_PIECES]; // of sim_contended_atomics.sectors, by the hash of the piece
} sim_contention_window;

// Of one worker. Zeros: nothing yet.
typedef struct sim_contended_atomics {
    uint64_t lanes, sectors; // operations of lanes; sectors that each instruction touches
    uint64_t passes;         // for each of these sectors the most lanes on one of its words
    uint64_t lines, repeats; // lines that each instruction touches; the most passes of a sector of
                             // each, less one
    sim_contention_window *windows;  // [capacity]; NULL: none was needed yet
    uint32_t capacity, window_count; // allocated; of this launch
    uint64_t window_blocks;          // blocks of a window
} sim_contended_atomics;

// Forgets what was counted before a launch of `blocks`, of which `together` are on the card.
void sim_contended_atomics_begin(sim_contended_atomics *hot, uint64_t blocks, uint64_t together);
void sim_contended_atomics_free(sim_contended_atomics *hot);

// One atomic instruction of a warp of block `block`: `lanes` of it, at `address`; once: one
// operation for all of them. Without memory it is not counted.
void sim_contended_atomics_note(sim_contended_atomics *hot, uint64_t block,
                                const uint64_t address[], uint32_t lanes, bool once);

// Adds what another worker counted.
void sim_contended_atomics_add(sim_contended_atomics *to, const sim_contended_atomics *from);

// What a launch's atomics found.
typedef struct sim_contention {
    double passes;  // for each operation of a lane
    double sector;  // share of the passes that go to the hottest sector of each window
    double piece;   // share of the sectors that lie in the hottest piece of each window
    double repeats; // of each line, on average
} sim_contention;
// Of what was counted; zeros when that is nothing.
sim_contention sim_contended_atomics_measure(const sim_contended_atomics *hot);

#endif
