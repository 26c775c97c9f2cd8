// SPDX-License-Identifier: MIT
// The longest chain of blocks of which each waits for the one before: a block that reads, by a
// strong load (volatile, relaxed, ..), what another block of the launch has stored there by a
// strong store, comes one link after the state in which that block stored there FIRST. A block that
// shows something before it waits hands nothing on later that others had to wait for. Strong
// accesses run in the order of blocks, so that one table serves the launch.
#ifndef SIM_RECORD_BLOCK_CHAIN_H
#define SIM_RECORD_BLOCK_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

// A word of memory through which blocks tell each other something.
typedef struct sim_chain_place {
    uint64_t address; // 0: free
    uint64_t block;   // that stored there first
    uint32_t links;   // of its chain at that time
} sim_chain_place;

// Of a launch. Zeros: nothing yet.
typedef struct sim_block_chain {
    sim_chain_place *places;  // [capacity], a power of two
    uint64_t capacity, count; // allocated; in use
    uint32_t longest;         // links
} sim_block_chain;

// A strong access of one lane of block `block`, whose chain has *links. Without memory it is not
// noted.
void sim_block_chain_note(sim_block_chain *chain, uint64_t block, uint32_t *links, uint64_t address,
                          bool is_store);

// Gives its memory back.
void sim_block_chain_free(sim_block_chain *chain);

#endif
