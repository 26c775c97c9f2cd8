// SPDX-License-Identifier: MIT
// The longest chain of blocks of which each waits for the one before: a block that reads, by a
// strong load (volatile, relaxed, ..), what another block of the launch has stored there by a
// strong store, comes one link after the state in which that block stored there FIRST. A block that
// shows something before it waits hands nothing on later that others had to wait for. A link takes
// longer with fences between that read and the store: a fence is there because of another word,
// which takes its own way to the L2. Strong accesses run in the order of blocks, so that one table
// serves the launch.
#ifndef SIM_RECORD_BLOCK_CHAIN_H
#define SIM_RECORD_BLOCK_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

// A word of memory through which blocks tell each other something.
typedef struct sim_chain_place {
    uint64_t address; // 0: free
    uint64_t block;   // that stored there first
    uint32_t links;   // of its chain at that time
    uint32_t fences;  // in these links
} sim_chain_place;

// The chain that ends with a block.
typedef struct sim_chain_end {
    uint32_t links;       // of the chain
    uint32_t fences;      // in these links
    uint32_t warp;        // that read the last link's word
    uint32_t warp_fences; // that this warp had executed until then
} sim_chain_end;

// Of a launch. Zeros: nothing yet.
typedef struct sim_block_chain {
    sim_chain_place *places;  // [capacity], a power of two
    uint64_t capacity, count; // allocated; in use
    uint32_t longest;         // links
    uint32_t fences;          // in the longest chain
} sim_block_chain;

// A strong access of one lane of warp `warp` of block `block`, with which the chain *end ends; the
// warp has executed `fences` for the device or the host. Without memory it is not noted.
void sim_block_chain_note(sim_block_chain *chain, uint64_t block, sim_chain_end *end, uint32_t warp,
                          uint32_t fences, uint64_t address, bool is_store);

// Gives its memory back.
void sim_block_chain_free(sim_block_chain *chain);

#endif
