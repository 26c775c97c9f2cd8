// SPDX-License-Identifier: MIT
// Recording of the lines that an access touches (record/accessed_lines.h): the test whether one of
// them is to be recorded, for which no regular access lists its addresses.
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

// Whether the sample may have a line of an access whose lanes are less than a sector apart.
static inline bool may_sample_dense(uint32_t bound, const lane_addresses *a) {
    bool sampled = false;
    for (int half = 0; half < 2; half++) {
        uint32_t on = a->lanes >> (half * HALF_WARP) & 0xFFFF;
        if (!on) continue;
        uint64_t first = a->base[half] + (uint64_t)(a->stride * __builtin_ctz(on));
        uint64_t last = a->base[half] + (uint64_t)(a->stride * (31 - __builtin_clz(on)));
        sampled |= samples_span(bound, a->stride < 0 ? last : first, a->stride < 0 ? first : last);
    }
    return sampled;
}

// The lanes whose lines the sample may have.
static inline uint32_t sampled_lanes(uint32_t bound, const uint64_t list[SIM_WARP_LANES]) {
    uint32_t sampled = 0;
    for (int i = 0; i < SIM_WARP_LANES; i++)
        sampled |= sim_trace_hash(sim_line_of(list[i])) <= bound ? lane_bit[i] : 0;
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

static inline void record_dense(sim_warp *warp, const sim_instr *instr, const lane_addresses *a,
                                uint32_t bytes, sim_trace_kind kind) {
    warp->record.requests++;
    if (may_sample_dense(warp->record.watched, a)) record_list(warp, instr, a, bytes, kind);
}

// `list`: of all lanes; no lane's bytes straddle two lines.
static inline void record_scattered(sim_warp *warp, const sim_instr *instr,
                                    const uint64_t list[SIM_WARP_LANES], uint32_t lanes,
                                    uint32_t bytes, sim_trace_kind kind) {
    uint32_t sampled = sampled_lanes(warp->record.watched, list) & lanes;
    warp->record.requests++;
    if (sampled) record_lanes(warp, instr, list, sampled, bytes, kind);
}

#endif
