// SPDX-License-Identifier: MIT
// The warp of a launch that executed most instructions, for the bound of one that works on alone.
// How many they were is exact. Which ones is known of a sample: the rest of a block's longest time
// slice after its first instructions, counted by the difference of the worker's counts, so that the
// interpreter's loop does nothing for it.
#ifndef SIM_RECORD_LONGEST_WARP_H
#define SIM_RECORD_LONGEST_WARP_H

#include <stdint.h>

#include "device/counters.h"
#include "program/ir.h"

enum { SIM_SAMPLE_LEAST = 256 }; // instructions of a time slice before a sample of it

// Straight-line runs that started at each pc of one function, as sim_count_run counts them.
typedef struct sim_sample {
    const sim_function *function; // NULL: nothing was sampled
    uint32_t warp;                // in the block
    uint64_t instructions;        // in the sample; while it is taken: of the slice before it
    uint64_t *runs;               // [function->code_count]
    uint32_t capacity;            // of `runs`
} sim_sample;

// Of the blocks of one worker.
typedef struct sim_longest {
    uint64_t executed; // by the longest warp
    uint64_t block;    // the first one that has such a warp
    uint64_t held;     // by all warps if each went on as long as the longest of its block
    sim_sample sample; // of this block
    sim_sample begun;  // of the present time slice
} sim_longest;

// Of a launch.
typedef struct sim_longest_warp {
    uint64_t executed, held;      // as above
    const sim_function *function; // of `counts`; NULL: too few instructions to sample
    uint64_t block;               // whose time slice was sampled
    uint32_t warp;                // in that block
    uint64_t sampled;             // instructions in `counts`
    sim_raw_counts *counts;       // by pc, `executed` only
} sim_longest_warp;

#endif
