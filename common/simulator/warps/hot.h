// SPDX-License-Identifier: MIT
// How often the launch's atomics on global memory go to one address, for the timing model: the L2
// does those one after the other. Counted by a hash of the address, so that sums over workers do not
// depend on which of them ran a block; addresses that share a number are taken for one.
#ifndef SIM_WARPS_HOT_H
#define SIM_WARPS_HOT_H

#include <stdint.h>

enum { SIM_HOT_BITS = 10, SIM_HOT_NUMBERS = 1 << SIM_HOT_BITS };

// Of one worker, or of a launch.
typedef struct sim_hot {
    uint64_t all;                     // operations
    uint64_t number[SIM_HOT_NUMBERS]; // of these, by the hash of their address
} sim_hot;

// `operations` on the word at `address`.
static inline void sim_hot_note(sim_hot *hot, uint64_t address, uint32_t operations) {
    uint64_t hash = (address >> 2) * UINT64_C(0x9E3779B97F4A7C15);
    hot->number[hash >> (64 - SIM_HOT_BITS)] += operations;
    hot->all += operations;
}

#endif
