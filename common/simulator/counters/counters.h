// From what was recorded of a launch to its counters.
#pragma once

#include "grids/grids.h"

// ---- cache_model.c ------------------------------------------------------------------------------
// What the L1s, the L2 and device memory see of a launch: a replay of the sampled trace
// (record/traces.h) through models of the caches, cold at the start as a profiler replays a
// launch. The rules were read off an H100's counters (validation/counters/counters_h100.csv);
// cache_model.c states each with the kernel that shows it. Depends on the trace and the device
// alone.

// Sectors of 32 bytes, of one instruction or of a launch; of the sampled lines only.
typedef struct sim_cache_counts {
    uint64_t l1_sectors, l1_hits;                           // looked up, found
    uint64_t l2_reads, l2_read_hits, l2_writes, l2_atomics; // sectors
    uint64_t l1_reads, l1_writes;                           // asked for by L1s: sectors
    uint64_t l1_read_lines, l1_write_lines;                 // and lines, one a request
    uint64_t dram_reads;                                    // sectors that no cache had
    uint64_t dram_recent; // of them, those that the L2 had from before the launch
    uint64_t dram_waits; // sectors of an L1's requests that another one's request had just sent for
} sim_cache_counts;

// Lines that one warp's accesses touched, by where the farthest of their sectors were found.
typedef struct sim_cache_lines_found {
    uint64_t all, past_l1, in_dram; // in_dram: of past_l1
} sim_cache_lines_found;

// Likewise in one of SIM_CACHE_SLICES equal parts of the launch's time: data that is used again and
// again comes from device memory only in the first ones.
typedef struct sim_cache_slice {
    uint32_t l1_sectors, l1_misses, dram_reads, dram_waits; // sectors; dram_reads: none recent
} sim_cache_slice;
enum { SIM_CACHE_SLICES = 16 };

// What one instruction found in the caches.
typedef struct sim_cache_site {
    uint32_t site;                            // sim_trace_site
    sim_cache_counts counts;                  // of its requests
    uint64_t lines;                           // touched, by all warps
    sim_cache_lines_found longest;            // by the longest warp
    sim_cache_slice slices[SIM_CACHE_SLICES]; // of its requests, by time
} sim_cache_site;

// What a launch found in the caches. Free with sim_cache_result_free.
typedef struct sim_cache_result {
    sim_cache_site *sites;  // ascending; those with a sampled access
    uint32_t site_count;    // of `sites`
    sim_cache_counts total; // of all sites
    // Sectors of which launches stored a part at a time: all, and fills of them, because they did
    // not become whole at once, from device memory (as often as they came to the L2 anew).
    uint64_t in_parts, filled;
    uint64_t parts_found; // stores of parts of sectors that the L2 had
    uint64_t dram_writes; // sectors evicted from the L2 while they were dirty
    double scale;         // lines a sampled line stands for: a power of two
    uint32_t *starts;     // [start_count]: when the blocks of SM 0 began, in turn
    uint32_t start_count; // of `starts`; fewer than there are: host memory was short
    uint32_t duration;    // of the replay, in requests of a warp
    uint64_t launched;    // sectors of earlier launches since the L2 was full of others' stores
} sim_cache_result;

// The slice that holds `time`.
static inline uint32_t sim_cache_slice_of(const sim_cache_result *result, uint32_t time) {
    uint64_t slice = (uint64_t)time * SIM_CACHE_SLICES / ((uint64_t)result->duration + 1);
    return slice < SIM_CACHE_SLICES ? (uint32_t)slice : SIM_CACHE_SLICES - 1;
}

// What the caches need to know of a launch.
typedef struct sim_cache_input {
    const sim_launch *launch;        // device, blocks that are resident, shared memory
    const sim_longest_warp *longest; // is looked at by itself, too; NULL: none
    double stores_to_fill;           // of parts, for one sector; 0: no number of them does
    const sim_l2_before *recent;     // what the L2 had at first; NULL: nothing, as under a profiler
} sim_cache_input;

// What replays work in, kept from one launch to the next: a trace has a bounded number of entries.
typedef struct sim_cache_memory sim_cache_memory;

sim_cache_memory *sim_cache_memory_new(void); // NULL: no host memory
// Frees the caches' state; accepts NULL.
void sim_cache_memory_free(sim_cache_memory *memory);

// Settles and replays `trace`.
sim_status sim_cache_replay(sim_cache_memory *memory, const sim_cache_input *input,
                            sim_trace *trace, sim_cache_result *out_result, kl_error *err);
void sim_cache_result_free(sim_cache_result *result);
// Sets the sizes of the L2: of those that went through it last it keeps fewer sectors than it has,
// since what is at home in one of two partitions is kept in the other, too, where the SM that reads
// it is near that one.
void sim_cache_l2_begin(const sim_device *device, sim_l2_before *recent);
// A site and its counts, NULL when none of its accesses was sampled.
const sim_cache_site *sim_cache_site_of(const sim_cache_result *result, uint32_t site);
const sim_cache_counts *sim_cache_find_site(const sim_cache_result *result, uint32_t site);

// Bytes of L1 that so many blocks of a launch on an SM, and its preferred carve-out, leave: the
// shared part of the memory comes in the sizes of the carve-out (CUDA C++ Programming Guide,
// "Shared Memory" of compute capability 9.0).
uint32_t sim_cache_l1_bytes(const sim_launch *launch, uint32_t blocks_per_sm);

// ---- fold.c -------------------------------------------------------------------------------------
// From the executor's raw counts of one instruction to named counters (see fold.c for the rules).

// Adds one instruction's raw counts to `out`.
void sim_counters_fold(const sim_instr *instr, const sim_raw_counts *raw, sim_counters *out);

// Likewise from the cache model's counts of the instruction's sampled accesses; NULL: none were.
void sim_counters_fold_cache(const sim_instr *instr, const sim_raw_counts *raw,
                             const sim_cache_counts *cache, sim_counters *out);

// What of an instruction an older card does not have: rows of device/features.def.

// Bits of the features that this instruction needs; 0: every card has it.
uint32_t sim_features_of(const sim_instr *instr);

// ---- active_cycles.c ----------------------------------------------------------------------------
// Cycles in which SMs hold warps, and how many: the counters behind achieved occupancy. The rule:
// blocks go to SMs in their order, first one to each SM, then a second one, as many as are resident
// at once (theoretical occupancy), then each to the place that is free first. A block keeps its
// place as long as its longest stay (record/record.h) takes; the last block's end is the end of
// the modelled time. A block that follows another has warps for a share of its time.

// Fills SIM_COUNTER_SM_CYCLES_ACTIVE, _WARPS_ACTIVE and _CYCLES_ELAPSED of `report`, whose config,
// occupancy and time are set already. Leaves the first two at 0 when memory is short.
void sim_active_cycles(const sim_device *device, const sim_residence *residence,
                       sim_launch_report *report);
