// SPDX-License-Identifier: MIT
// Counters: their names (counters.def), and the raw counts that the executor keeps per instruction.
// memory/access.h counts; counters/fold.h says which raw count goes into which counter.
#ifndef SIM_DEVICE_COUNTERS_H
#define SIM_DEVICE_COUNTERS_H

#include <stdint.h>

// The rows of counters.def, in the order of tables and JSON.
typedef enum sim_counter {
#define SIM_COUNTER(id, name, source, text) SIM_COUNTER_##id,
#include "device/counters.def"
#undef SIM_COUNTER
    SIM_COUNTER_COUNT
} sim_counter;

// One set of counters, indexed by sim_counter.
typedef struct sim_counters {
    uint64_t value[SIM_COUNTER_COUNT]; // in the unit that the counter's name says
} sim_counters;

// Raw counts of one instruction of a decoded function, one cache line; the executor's hot path adds
// here. Which named counters they become follows from the instruction's operation and space.
typedef struct sim_raw_counts {
    uint64_t executed;   // warp instructions, any lane active (predicated-off ones too)
    uint64_t active;     // lanes active
    uint64_t on;         // lanes active and predicated on
    uint64_t requests;   // memory: executions with at least one lane on
    uint64_t sectors;    // global, local: distinct sectors
    uint64_t wavefronts; // shared: wavefronts
    uint64_t conflicts;  // shared: wavefronts beyond the conflict-free number; atomics on global
                         // memory: sectors beyond the distinct ones
    union {
        uint64_t divergent; // branches that split the warp
        uint64_t remote;    // memory: executions with a lane in another block's shared memory
    };
} sim_raw_counts;

// The name, Nsight Compute's where it has one: "smsp__inst_executed.sum". A constant.
const char *sim_counter_name(sim_counter counter);
// What it counts, as one phrase. A constant.
const char *sim_counter_text(sim_counter counter);
// Shares of lookups that hit, in percent; NAN when there were none: all of the L1's, and the reads
// of the L2. By Nsight Compute's names l1tex__t_sector_hit_rate.pct and
// lts__t_sector_op_read_hit_rate.pct. (Its lts__t_sector_hit_rate.pct is no sum of the reads and
// writes that it counts, and is near 100 where few of the reads hit.)
double sim_l1_hit_percent(const sim_counters *counters);
double sim_l2_hit_percent(const sim_counters *counters);

// The counter with this name; SIM_COUNTER_COUNT when there is none.
sim_counter sim_counter_find(const char *name);

#endif
