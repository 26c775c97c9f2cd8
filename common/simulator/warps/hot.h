// SPDX-License-Identifier: MIT
// How often the launch's atomics on global memory go to one address, and to one piece of memory
// that a slice of the L2 holds, for the timing model: the L2 does those one after the other.
// Counted by hashes, so that sums over workers do not depend on which of them ran a block;
// addresses that share a number are taken for one.
#ifndef SIM_WARPS_HOT_H
#define SIM_WARPS_HOT_H

#include <stdint.h>

enum { SIM_HOT_BITS = 10, SIM_HOT_NUMBERS = 1 << SIM_HOT_BITS };

// Of one worker, or of a launch.
typedef struct sim_hot {
    uint64_t words, sectors;         // operations of lanes; of these, neighbours in a sector as one
    uint64_t word[SIM_HOT_NUMBERS];  // of `words`, by the hash of the address
    uint64_t piece[SIM_HOT_NUMBERS]; // of `sectors`, by the hash of the piece
} sim_hot;

enum { SIM_HOT_PIECE_BITS = 9 }; // bytes of a piece, as a power of two

// A number below SIM_HOT_NUMBERS for a word or a piece.
static inline uint32_t sim_hot_hash(uint64_t value) {
    return (uint32_t)(value * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SIM_HOT_BITS));
}

// `operations` on the word at `address`; sectors: 1 when its sector is not the last one's.
static inline void sim_hot_note(sim_hot *hot, uint64_t address, uint32_t operations,
                                uint32_t sectors) {
    hot->word[sim_hot_hash(address >> 2)] += operations;
    hot->words += operations;
    hot->piece[sim_hot_hash(address >> SIM_HOT_PIECE_BITS)] += sectors;
    hot->sectors += sectors;
}

#endif
