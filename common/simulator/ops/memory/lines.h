// SPDX-License-Identifier: MIT
// Recording of the lines that an access touches (record/accessed_lines.h): the test whether one of
// them is to be recorded, for which no access lists its addresses.
#ifndef SIM_OPS_MEMORY_LINES_H
#define SIM_OPS_MEMORY_LINES_H

#include "ops/memory/banks.h"
#include "record/accessed_lines.h"
#include "warps/address.h"

// Whether the sample has one of the lines of [low, high]. Numbers of lines wrap, so that the last
// one is met, not passed.
static inline bool samples_span(uint32_t bound, uint64_t low, uint64_t high) {
    uint32_t line = sim_line_of(low), last = sim_line_of(high);
    bool sampled = sim_trace_hash(line) <= bound;
    while (line != last) sampled |= sim_trace_hash(++line) <= bound;
    return sampled;
}

// Whether the sample may have a line of these accesses. Only active lanes have an address in
// device memory: those that are off may be on both sides of its beginning. Where each line is
// looked at by itself they count as if they were on, which costs a look at an access that adds
// nothing.
static inline bool may_sample(uint32_t bound, const lane_addresses *a) {
    uint32_t sampled = 0;
    if (a->pattern == PATTERN_ANY) {
        for (int i = 0; i < SIM_WARP_LANES; i++)
            sampled |= sim_trace_hash(sim_line_of(a->lane[i])) <= bound;
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
                    sim_trace_hash(sim_line_of(a->base[half] + (uint64_t)a->stride * i)) <= bound;
        }
    }
    return sampled;
}

static inline void record_span(sim_warp *warp, const sim_instr *instr, const lane_addresses *a,
                               uint32_t bytes, sim_trace_kind kind) {
    warp->record.requests++;
    if (__builtin_expect(samples_span(warp->record.watched, a->low, a->high), 0))
        sim_record_span(&warp->record, instr, a->low, a->high, bytes,
                        a->stride == (int64_t)bytes || a->stride == 0, kind);
}

static inline void record_lanes(sim_warp *warp, const sim_instr *instr,
                                const uint64_t addresses[SIM_WARP_LANES], uint32_t lanes,
                                uint32_t bytes, sim_trace_kind kind) {
    uint32_t wavefronts = 0;
    if (warp->record.trace) wavefronts = count_banks_any(addresses, lanes, bytes).wavefronts;
    sim_record_lanes(&warp->record, instr, addresses, lanes, bytes, wavefronts, kind);
}

static inline void record_list(sim_warp *warp, const sim_instr *instr, const lane_addresses *a,
                               uint32_t bytes, sim_trace_kind kind) {
    uint64_t list[SIM_WARP_LANES];
    list_addresses(a, list);
    record_lanes(warp, instr, list, a->lanes, bytes, kind);
}

static inline void record_any(sim_warp *warp, const sim_instr *instr, const lane_addresses *a,
                              uint32_t bytes, sim_trace_kind kind) {
    warp->record.requests++;
    if (may_sample(warp->record.watched, a)) record_list(warp, instr, a, bytes, kind);
}

#endif
