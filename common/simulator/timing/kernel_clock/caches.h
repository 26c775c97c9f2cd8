// SPDX-License-Identifier: MIT
// Where a kernel that reads clocks finds its data: tags of the L1s and of the L2, line by line. The
// L1s are empty when a launch begins. The L2 keeps what such kernels have touched, and otherwise
// knows what copies, fills and other kernels can have left in it, by allocations: a kernel without
// a clock is not watched.
#ifndef SIM_KERNEL_CLOCK_CACHES_H
#define SIM_KERNEL_CLOCK_CACHES_H

#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"

// Ways of a set, of either cache; ranges that are kept.
enum { CACHES_WAYS = 16, CACHES_RANGES = 64 };

// An entry of a set.
typedef struct caches_line {
    uint64_t line;  // of 128 bytes, from address 0
    uint64_t stamp; // L1: the launch; L2: of the last range before; 0: empty
    uint32_t used;  // number of the access
} caches_line;

// Bytes that something else has touched.
typedef struct caches_range {
    uint64_t first, end, stamp; // stamp: counts up; ranges lie in this order
} caches_range;

// The tags of a device.
typedef struct caches {
    const sim_device *device;           // whose caches they are
    caches_line **l1;                   // [sm_count]; NULL until the SM has loaded something
    uint32_t l1_lines, l1_sets;         // l1_lines: of this launch
    caches_line *l2;                    // [l2_sets][CACHES_WAYS]
    uint32_t l2_sets, accesses;         // accesses: so far, of all caches
    caches_range ranges[CACHES_RANGES]; // [range_count], the youngest last
    uint32_t range_count;               // of `ranges`
    uint64_t stamp;                     // of the youngest range
    uint64_t oldest;                    // what was touched then or before has left the L2
    uint64_t launch;                    // counts up
} caches;

// Where the farthest sector of a line was.
typedef enum caches_level {
    CACHES_L1,
    CACHES_L2,       // seen before by a kernel that read clocks
    CACHES_L2_FIRST, // left there by others
    CACHES_DRAM
} caches_level;

// Empty tags, once; false: no host memory. To be ended either way.
bool caches_begin(caches *of, const sim_device *device);
// Frees what caches_begin made.
void caches_end(caches *of);
// A launch begins, which leaves so many bytes to the L1.
void caches_launch(caches *of, uint32_t l1_bytes);
// One line; past_l1: the L1 is not asked.
caches_level caches_find(caches *of, uint32_t sm, uint64_t line, bool past_l1);
// Something that is not watched has used [address, address + bytes).
void caches_touched(caches *of, uint64_t address, uint64_t bytes);

#endif
