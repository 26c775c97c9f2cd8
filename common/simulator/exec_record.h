// SPDX-License-Identifier: MIT
// Recording of accesses for the cache model (cache_trace.h): the test whether a line belongs to the
// sample stands in the executor's hot path, what follows is in record.c.
#ifndef SIM_EXEC_RECORD_H
#define SIM_EXEC_RECORD_H

#include "block.h"
#include "exec_address.h"

// Of bytes [low, high + bytes) with all of them accessed when `dense`.
void sim_record_span(sim_warp *warp, const sim_instr *instr, uint64_t low, uint64_t high,
                     uint32_t bytes, bool dense, sim_trace_kind kind);
// Of any 32 addresses.
void sim_record_lanes(sim_warp *warp, const sim_instr *instr,
                      const uint64_t addresses[SIM_WARP_LANES], uint32_t lanes, uint32_t bytes,
                      sim_trace_kind kind);
// Of 32 offsets into the lanes' local memory.
void sim_record_local(sim_warp *warp, const sim_instr *instr,
                      const uint64_t offsets[SIM_WARP_LANES], uint32_t lanes, uint32_t bytes,
                      sim_trace_kind kind);
// Lanes of all these warps have met at a barrier.
void sim_record_meet(sim_block *block, const uint32_t arrived[SIM_MAX_WARPS]);

static inline uint32_t line_of(uint64_t address) {
    return (uint32_t)((address - SIM_GLOBAL_BASE) / SIM_LINE_BYTES);
}

static inline void record_span(sim_warp *warp, const sim_instr *instr, const lane_addresses *a,
                               uint32_t bytes, sim_trace_kind kind) {
    uint32_t bound = warp->block->trace.bound, first = line_of(a->low), last = line_of(a->high);
    bool sampled = false;
    warp->requests++;
    for (uint32_t line = first; line <= last; line++)
        sampled = sampled || sim_trace_hash(line) <= bound;
    if (__builtin_expect(sampled, 0))
        sim_record_span(warp, instr, a->low, a->high, bytes,
                        a->stride == (int64_t)bytes || a->stride == 0, kind);
}

static inline void record_any(sim_warp *warp, const sim_instr *instr, const lane_addresses *a,
                              uint32_t bytes, sim_trace_kind kind) {
    uint32_t bound = warp->block->trace.bound, sampled = 0;
    uint64_t list[SIM_WARP_LANES];
    warp->requests++;
    list_addresses(a, list);
    for (int i = 0; i < SIM_WARP_LANES; i++) sampled |= sim_trace_hash(line_of(list[i])) <= bound;
    if (sampled) sim_record_lanes(warp, instr, list, a->lanes, bytes, kind);
}

#endif
