// SPDX-License-Identifier: MIT
// A recording of a launch as one page of HTML that loads nothing: each line that warps of a block
// execute, with lanes, variables, shared memory and accesses.
#ifndef LADDER_DEBUG_PAGE_H
#define LADDER_DEBUG_PAGE_H

#include <stdint.h>

#include "learn/debug/debug.h"

// Bounds of a recording. Where one cuts it, the page and the terminal say so.
enum {
    LADDER_DEBUG_PAGE_BYTES = 1900000,       // of the page, which stays below 2 MB
    LADDER_DEBUG_PAGE_MOMENTS = 6000,        // lines that warps execute
    LADDER_DEBUG_PAGE_INSTRUCTIONS = 150000, // warp instructions, some seconds
    LADDER_DEBUG_PAGE_SHARED = 16 << 10,     // bytes of shared memory, the first of each block
    LADDER_DEBUG_PAGE_WARPS = 32             // of all blocks together
};

// What is recorded, and where it goes.
typedef struct ladder_debug_recording {
    const char *path;       // of the page
    const char *title;      // "transpose, step 2"
    uint32_t launch;        // from 0
    uint64_t block;         // linear index of the first one
    uint32_t blocks, warps; // of each block the first; warps 0: as many as there is room for
    uint64_t from;          // time from which on
    bool check;             // records findings of the checks, too
} ladder_debug_recording;

// Runs a program (argv[0]: its path) and writes the page; says on standard output what is in it.
kl_status ladder_debug_page(const ladder_kit *kit, char *const *argv,
                            const ladder_debug_recording *recording, kl_error *err);

#endif
