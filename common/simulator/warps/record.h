// SPDX-License-Identifier: MIT
// Recording of accesses for the cache model (memory/cache_trace.h): the test whether a line belongs
// to the sample stands in the executor's hot path, what follows is in record.c.
#ifndef SIM_WARPS_RECORD_H
#define SIM_WARPS_RECORD_H

#include "warps/block.h"
#include "warps/address.h"

// Of bytes [low, high + bytes) with all of them accessed when `dense`.
void sim_record_span(sim_warp *warp, const sim_instr *instr, uint64_t low, uint64_t high,
                     uint32_t bytes, bool dense, sim_trace_kind kind);
// Adds the lines of a fetch from a texture to the warp's path alone.
void sim_record_texels(sim_warp *warp, const sim_instr *instr,
                       const uint64_t addresses[SIM_WARP_LANES], uint32_t lanes, uint32_t bytes);
// Of 16 lanes at base[0] and 16 at base[1], all at one place (stride 0) or neighbours (stride
// `bytes`).
void sim_record_halves(sim_warp *warp, const sim_instr *instr, const uint64_t base[2],
                       uint32_t stride, uint32_t bytes, sim_trace_kind kind);
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

// Whether the sample has one of the lines of [low, high]. Numbers of lines wrap, so that the last
// one is met, not passed.
static inline bool samples_span(uint32_t bound, uint64_t low, uint64_t high) {
    uint32_t line = line_of(low), last = line_of(high);
    bool sampled = sim_trace_hash(line) <= bound;
    while (line != last) sampled |= sim_trace_hash(++line) <= bound;
    return sampled;
}

// Whether the sample may have a line of these accesses. Only lanes that are on have an address in
// device memory: those that are off may be on both sides of its beginning. Where each line is
// looked at by itself they count as if they were on, which costs a look at an access that adds
// nothing.
static inline bool may_sample(uint32_t bound, const lane_addresses *a) {
    uint32_t sampled = 0;
    if (a->pattern == PATTERN_ANY) {
        for (int i = 0; i < SIM_WARP_LANES; i++)
            sampled |= sim_trace_hash(line_of(a->lane[i])) <= bound;
        return sampled;
    }
    bool dense = a->stride > -SIM_LINE_BYTES / SIM_LINE_SECTORS &&
                 a->stride < SIM_LINE_BYTES / SIM_LINE_SECTORS;
    for (int half = 0; half < 2; half++) {
        uint32_t on = a->lanes >> (half * HALF_WARP) & 0xFFFF;
        if (dense && on) {
            uint64_t first = a->base[half] + (uint64_t)(a->stride * __builtin_ctz(on));
            uint64_t last = a->base[half] + (uint64_t)(a->stride * (31 - __builtin_clz(on)));
            sampled |=
                samples_span(bound, a->stride < 0 ? last : first, a->stride < 0 ? first : last);
        } else if (on) {
            for (uint64_t i = 0; i < HALF_WARP; i++)
                sampled |=
                    sim_trace_hash(line_of(a->base[half] + (uint64_t)a->stride * i)) <= bound;
        }
    }
    return sampled;
}

static inline void record_span(sim_warp *warp, const sim_instr *instr, const lane_addresses *a,
                               uint32_t bytes, sim_trace_kind kind) {
    warp->requests++;
    if (__builtin_expect(samples_span(warp->block->trace.watched, a->low, a->high), 0))
        sim_record_span(warp, instr, a->low, a->high, bytes,
                        a->stride == (int64_t)bytes || a->stride == 0, kind);
}

static inline void record_list(sim_warp *warp, const sim_instr *instr, const lane_addresses *a,
                               uint32_t bytes, sim_trace_kind kind) {
    uint64_t list[SIM_WARP_LANES];
    list_addresses(a, list);
    sim_record_lanes(warp, instr, list, a->lanes, bytes, kind);
}

static inline void record_any(sim_warp *warp, const sim_instr *instr, const lane_addresses *a,
                              uint32_t bytes, sim_trace_kind kind) {
    warp->requests++;
    if (may_sample(warp->block->trace.watched, a)) record_list(warp, instr, a, bytes, kind);
}

#endif
