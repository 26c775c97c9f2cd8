// Recording of the lines that an access touches (record/record.h): the test whether one of
// them is to be recorded, for which no regular access lists its addresses.
#pragma once

#include "warps/lanes.h"

// ---- banks --------------------------------------------------------------------------------------
// Wavefronts of any list of addresses at the 32 banks, in the quick form: of shared memory, and of
// a request at the L1.

// Wavefronts for a list of units, which are words, or the pairs or quads of words that a lane
// accesses: those of a unit lie in neighbouring banks, so two units meet in all of them or in none.
// The place with the most distinct units decides. They are told apart by their neighbours where the
// list ascends (most gathers), else by a small hash table.
static inline uint32_t count_passes(const uint64_t *units, uint32_t count, uint32_t banks) {
    uint8_t at_bank[SIM_BANKS] = {0};
    enum { PLACES = 4 * SIM_WARP_LANES }; // most stay free
    uint8_t places[PLACES];               // index + 1 of a unit, by its hash; 0: free
    uint32_t most = 0;
    bool ascends = true;
    for (uint32_t i = 1; i < count; i++) ascends = ascends && units[i] >= units[i - 1];
    if (!ascends) memset(places, 0, sizeof places);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t unit = units[i];
        if (ascends) {
            if (i && unit == units[i - 1]) continue;
        } else {
            uint32_t at = (uint32_t)(unit * UINT64_C(0x9E3779B97F4A7C15) >> 57);
            while (places[at] && units[places[at] - 1] != unit) at = (at + 1) % PLACES;
            if (places[at]) continue;
            places[at] = (uint8_t)(i + 1);
        }
        uint32_t now = ++at_bank[unit % banks];
        most = now > most ? now : most;
    }
    return most;
}

// Whether the active ones of `count` lanes agree with their neighbour, or with the next but one.
static inline bool lanes_agree(const uint64_t *units, uint32_t lanes, uint32_t count) {
    uint64_t differ_1 = 0, differ_2 = 0;
    if (lanes == SIM_ALL_LANES >> (SIM_WARP_LANES - count)) {
        for (uint32_t i = 0; i < count; i++) {
            differ_1 |= units[i] ^ units[i ^ 1];
            differ_2 |= units[i] ^ units[i ^ 2];
        }
        return !differ_1 || !differ_2;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (lanes & lane_bit[lane ^ 1]) differ_1 |= units[lane] ^ units[lane ^ 1];
        if (lanes & lane_bit[lane ^ 2]) differ_2 |= units[lane] ^ units[lane ^ 2];
    }
    return !differ_1 || !differ_2;
}

// Wide accesses go by groups of `size` lanes, as many as have room in all banks; two neighbouring
// groups whose lanes agree in pairs go together.
static inline sim_bank_use count_banks_groups(const uint64_t address[SIM_WARP_LANES],
                                              uint32_t lanes, uint32_t bytes, uint32_t size) {
    sim_bank_use use = {0, 0};
    uint64_t units[SIM_WARP_LANES];
    for (uint32_t i = 0; i < SIM_WARP_LANES; i++) units[i] = address[i] / bytes;
    for (uint32_t first = 0; first < SIM_WARP_LANES; first += 2 * size) {
        uint32_t on = lanes >> first & SIM_ALL_LANES >> (SIM_WARP_LANES - 2 * size);
        uint32_t together = lanes_agree(units + first, on, 2 * size) ? 2 : 1;
        for (uint32_t group = 0; group < 2; group += together) {
            uint64_t list[SIM_WARP_LANES];
            uint32_t count = 0;
            for (uint32_t lane = group * size; lane < (group + together) * size; lane++) {
                list[count] = units[first + lane];
                count += on >> lane & 1;
            }
            use.wavefronts += count_passes(list, count, size);
            use.conflict_free += count > 0;
        }
    }
    return use;
}

// Of active lanes at addresses that `bytes` divides.
static inline sim_bank_use count_banks_any(const uint64_t address[SIM_WARP_LANES], uint32_t lanes,
                                           uint32_t bytes) {
    uint64_t words[SIM_WARP_LANES];
    uint32_t count = 0;
    if (bytes == 8) return count_banks_groups(address, lanes, 8, 16);
    if (bytes == 16) return count_banks_groups(address, lanes, 16, 8);
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        words[count++] = address[__builtin_ctz(rest)] / SIM_BANK_BYTES;
    return (sim_bank_use){count_passes(words, count, SIM_BANKS), 1};
}

// ---- lines --------------------------------------------------------------------------------------

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

static inline void record_lanes(sim_warp *warp, const sim_instr *instr,
                                const uint64_t addresses[SIM_WARP_LANES], uint32_t lanes,
                                uint32_t bytes, sim_trace_kind kind) {
    uint32_t wavefronts = 0;
    if (warp->record.trace) wavefronts = count_banks_any(addresses, lanes, bytes).wavefronts;
    sim_record_lanes(&warp->record, instr, addresses, lanes, bytes, wavefronts, kind);
}

// Two rows or places, one a half-warp, as halves.h records them: a worker's first access to an
// allocation comes here, those that follow do not.
static inline void record_list(sim_warp *warp, const sim_instr *instr, const lane_addresses *a,
                               uint32_t bytes, sim_trace_kind kind) {
    uint64_t list[SIM_WARP_LANES];
    if (a->pattern == PATTERN_HALVES && a->lanes == SIM_ALL_LANES &&
        (a->stride == 0 || a->stride == (int64_t)bytes)) {
        sim_record_halves(&warp->record, instr, a->base, (uint32_t)a->stride, bytes, kind);
        return;
    }
    list_addresses(a, list);
    record_lanes(warp, instr, list, a->lanes, bytes, kind);
}

// A traced warp's wavefronts are those of its banks, which lanes apart may share.
static inline void record_span(sim_warp *warp, const sim_instr *instr, const lane_addresses *a,
                               uint32_t bytes, sim_trace_kind kind) {
    bool dense = a->stride == (int64_t)bytes || a->stride == 0;
    warp->record.requests++;
    if (__builtin_expect(warp->record.trace && !dense, 0)) record_list(warp, instr, a, bytes, kind);
    else if (__builtin_expect(samples_span(warp->record.watched, a->low, a->high), 0))
        sim_record_span(&warp->record, instr, a->low, a->high, bytes, dense, kind);
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
