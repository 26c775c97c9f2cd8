// SPDX-License-Identifier: MIT
// The warp of a launch that executed most instructions, for the timing model's bound of one that
// works on alone. How many they were is exact. Which ones is known of a sample: the rest of a
// block's longest turn (what a warp executes without waiting for others) after its first
// instructions, counted by the difference of the worker's counts, so that the interpreter's loop
// does nothing for it. Follows from the virtual schedule alone, never from host threads.
#ifndef SIM_WARPS_LONGEST_H
#define SIM_WARPS_LONGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "device/counters.h"
#include "program/ir.h"

typedef struct sim_block sim_block;
typedef struct sim_warp sim_warp;

enum { SIM_SAMPLE_LEAST = 256 }; // instructions of a turn before a sample of it

// Straight-line runs that started at each pc of one function, as sim_count_run counts them.
typedef struct sim_sample {
    const sim_function *function; // NULL: nothing was sampled
    uint32_t warp;                // in the block
    uint64_t instructions;        // of the turn so far
    uint64_t *runs;               // [function->code_count]
    uint32_t capacity;            // of `runs`
} sim_sample;

// Of the blocks of one worker.
typedef struct sim_longest {
    uint64_t executed; // by the longest warp
    uint64_t block;    // the first one that has such a warp
    uint64_t held;     // by all warps if each went on as long as the longest of its block
    sim_sample sample; // of this block
} sim_longest;

// Of a launch.
typedef struct sim_longest_warp {
    uint64_t executed, held;      // as above
    const sim_function *function; // of `counts`; NULL: too few instructions to sample
    uint64_t block;               // whose turn was sampled
    uint32_t warp;                // in that block
    uint64_t sampled;             // instructions in `counts`
    sim_raw_counts *counts;       // by pc, `executed` only
} sim_longest_warp;

// Begins a sample when the running warp has executed enough of its turn, `done` instructions: so
// many that taking it costs next to nothing, and as many as the longest turn had that the block has
// sampled, so that warps of one length give one sample. Returns the number at which to ask again;
// UINT64_MAX: never in this turn.
uint64_t sim_sample_mark(sim_warp *warp, uint64_t done);
// Its turn has ended. The block keeps the sample if it has no longer one.
void sim_sample_end(sim_warp *warp);
void sim_sample_free(sim_sample *sample);

// A block has ended.
void sim_longest_note(sim_longest *longest, sim_block *block);

#endif
