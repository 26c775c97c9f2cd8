// Formulas for sectors and wavefronts of regular accesses, and quick forms for the rest. Every
// function here gives what memory/access.h gives for the same addresses;
// tests/memory/access_rules_test.c holds them to that.
#pragma once

#include "ops/memory/lines.h"

enum { SECTOR = SIM_SECTOR_BYTES };

// ---- Global memory: sectors. `bytes` (1, 2, 4, 8, 16) divides every address, so no lane straddles
// two. ----

// Distinct sectors of a list. In ascending lists (most gathers) a sector is new when it differs
// from the one before; else a small hash table remembers those met.
static inline uint32_t count_sectors_any(const uint64_t address[SIM_WARP_LANES]) {
    uint64_t sector[SIM_WARP_LANES + 1];
    uint64_t descends = 0;
    uint32_t changes = 0;
    for (int i = 0; i < SIM_WARP_LANES; i++) sector[i] = address[i] / SECTOR;
    for (int i = 1; i < SIM_WARP_LANES; i++) {
        changes += sector[i] != sector[i - 1];
        descends |= sector[i] < sector[i - 1];
    }
    if (!descends) return changes + 1;
    enum { TABLE = 64 };
    uint64_t table[TABLE] = {0}; // sector + 1; sectors of device memory are far from 2^64
    uint32_t count = 0;
    for (int i = 0; i < SIM_WARP_LANES; i++) {
        uint64_t key = sector[i] + 1;
        uint32_t at = (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 58);
        while (table[at] && table[at] != key) at = (at + 1) % TABLE;
        count += table[at] == 0;
        table[at] = key;
    }
    return count;
}

static inline bool is_dense(const lane_addresses *a) {
    return a->stride > -SECTOR && a->stride < SECTOR;
}

// Active lanes without a gap.
static inline bool is_row(uint32_t lanes) {
    uint32_t low = lanes & (0 - lanes);
    return ((lanes + low) & lanes) == 0;
}

// First and last sector of a half whose lanes are less than a sector apart: it touches all between.
static inline void half_span(const lane_addresses *a, int half, uint64_t *first, uint64_t *last) {
    uint64_t start = a->base[half], end = start + (uint64_t)(a->stride * (HALF_WARP - 1));
    *first = (a->stride < 0 ? end : start) / SECTOR;
    *last = (a->stride < 0 ? start : end) / SECTOR;
}

// A dense warp whose active lanes have gaps: neighbours among them share a sector or not.
static inline uint32_t count_sectors_gaps(const lane_addresses *a) {
    uint64_t before = UINT64_MAX;
    uint32_t count = 0;
    for (uint32_t rest = a->lanes; rest; rest &= rest - 1) {
        uint64_t sector = (a->base[0] + (uint64_t)(a->stride * __builtin_ctz(rest))) / SECTOR;
        count += sector != before;
        before = sector;
    }
    return count;
}

// Sectors in one span or the other.
static inline uint32_t sectors_of_spans(uint64_t first_a, uint64_t last_a, uint64_t first_b,
                                        uint64_t last_b) {
    uint64_t both = last_a - first_a + 1 + (last_b - first_b + 1);
    uint64_t from = first_a > first_b ? first_a : first_b;
    uint64_t to = last_a < last_b ? last_a : last_b;
    return (uint32_t)(both - (from <= to ? to - from + 1 : 0));
}

static inline uint32_t count_sectors(const lane_addresses *a) {
    if (a->pattern == PATTERN_UNIFORM) return 1;
    if (a->pattern == PATTERN_AFFINE) {
        if (!is_dense(a)) return (uint32_t)__builtin_popcount(a->lanes);
        if (!is_row(a->lanes)) return count_sectors_gaps(a);
        return (uint32_t)(a->high / SECTOR - a->low / SECTOR) + 1;
    }
    if (a->pattern == PATTERN_HALVES && is_dense(a) && a->lanes == SIM_ALL_LANES) {
        uint64_t first[2], last[2];
        half_span(a, 0, &first[0], &last[0]);
        if (a->base[0] == a->base[1]) return (uint32_t)(last[0] - first[0]) + 1;
        half_span(a, 1, &first[1], &last[1]);
        return sectors_of_spans(first[0], last[0], first[1], last[1]);
    }
    uint64_t list[SIM_WARP_LANES];
    list_addresses(a, list);
    return count_sectors_any(list);
}

// Marks the sectors of a list in a footprint map; most are marked.
static inline void mark_listed(const sim_footprint *footprint, _Atomic uint64_t *map,
                               const uint64_t list[SIM_WARP_LANES]) {
    uint64_t sector[SIM_WARP_LANES], missing = 0;
    for (int i = 0; i < SIM_WARP_LANES; i++) sector[i] = (list[i] - SIM_GLOBAL_BASE) / SECTOR;
    for (int i = 0; i < SIM_WARP_LANES; i++)
        missing |=
            ~atomic_load_explicit(&map[sector[i] / 64], memory_order_relaxed) >> sector[i] % 64;
    for (int i = 0; missing & 1 && i < SIM_WARP_LANES; i++)
        sim_footprint_mark_word(footprint, map, sector[i] / 64, UINT64_C(1) << sector[i] % 64);
}

// Marks the sectors of an access.
static inline void mark_sectors(const sim_footprint *footprint, _Atomic uint64_t *map,
                                const lane_addresses *a) {
    bool one_span = a->pattern == PATTERN_AFFINE && is_dense(a) && is_row(a->lanes);
    if (a->pattern == PATTERN_UNIFORM || one_span) {
        sim_footprint_mark(footprint, map, a->low, a->high);
        return;
    }
    if (a->pattern == PATTERN_HALVES && is_dense(a) && a->lanes == SIM_ALL_LANES) {
        for (int half = 0; half < (a->base[0] == a->base[1] ? 1 : 2); half++) {
            uint64_t first, last;
            half_span(a, half, &first, &last);
            sim_footprint_mark(footprint, map, first * SECTOR, last * SECTOR);
        }
        return;
    }
    uint64_t list[SIM_WARP_LANES];
    list_addresses(a, list);
    mark_listed(footprint, map, list);
}

// ---- Shared memory: wavefronts ----

// Lanes `words` apart: lanes meet in a bank when their numbers agree modulo 32 / gcd(words, 32),
// and the gcd is the largest power of two in `words`. Counts the fullest bank.
static inline uint32_t passes_of_row(uint64_t words, uint32_t lanes) {
    uint32_t shared = words % SIM_BANKS ? (uint32_t)(words & (0 - words)) : SIM_BANKS;
    if (shared == 1) return 1;
    if (lanes == SIM_ALL_LANES) return shared;
    uint32_t period = SIM_BANKS / shared, group = 0, most = 0;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane += period) group |= 1u << lane;
    for (uint32_t first = 0; first < period; first++) {
        uint32_t count = (uint32_t)__builtin_popcount(lanes & group << first);
        most = count > most ? count : most;
    }
    return most;
}

// One half at one word each, or 16 words in a row each: do two different words meet in a bank?
static inline uint32_t passes_of_halves(uint64_t a, uint64_t b, int64_t stride) {
    int64_t distance = (int64_t)(b / SIM_BANK_BYTES - a / SIM_BANK_BYTES);
    int64_t reach = stride ? HALF_WARP : 1; // words in a row
    if (distance > -reach && distance < reach) return 1;
    uint32_t apart =
        (uint32_t)((uint64_t)distance % SIM_BANKS); // as banks see it, either way round
    if (apart > SIM_BANKS / 2) apart = SIM_BANKS - apart;
    return apart < reach ? 2 : 1;
}

// Two places of 8 or 16 bytes, one a half-warp. All lanes of a half agree, so neighbouring groups
// go together: for 8 bytes the halves themselves, which conflict when the places differ by a
// multiple of all banks.
static inline sim_bank_use uniform_halves_wide(uint64_t a, uint64_t b, uint32_t bytes) {
    if (bytes == 16) return (sim_bank_use){2, 2};
    uint64_t distance = (b - a) / SIM_BANK_BYTES;
    return (sim_bank_use){distance != 0 && distance % SIM_BANKS == 0 ? 2 : 1, 1};
}

// `bytes` is what a lane moves; addresses are multiples of it. No wavefronts: there is no formula.
static inline sim_bank_use banks_of_regular(const lane_addresses *a, uint32_t bytes) {
    bool full = a->lanes == SIM_ALL_LANES;
    if (a->pattern == PATTERN_UNIFORM && (full || bytes <= 4)) {
        uint32_t groups = bytes == 16 ? 2 : 1;
        return (sim_bank_use){groups, groups};
    }
    if (a->pattern == PATTERN_AFFINE && full && bytes > 4 && a->stride == (int64_t)bytes)
        return (sim_bank_use){bytes / 4, bytes / 4};
    if (bytes == 4 && a->pattern == PATTERN_AFFINE)
        return (sim_bank_use){
            passes_of_row((uint64_t)(a->stride < 0 ? -a->stride : a->stride) / 4, a->lanes), 1};
    if (bytes == 4 && full && a->pattern == PATTERN_HALVES && (a->stride == 0 || a->stride == 4))
        return (sim_bank_use){passes_of_halves(a->base[0], a->base[1], a->stride), 1};
    if (bytes > 4 && full && a->pattern == PATTERN_HALVES) {
        if (a->stride == (int64_t)bytes) return (sim_bank_use){bytes / 4, bytes / 4};
        if (a->stride == 0) return uniform_halves_wide(a->base[0], a->base[1], bytes);
    }
    return (sim_bank_use){0, 0};
}

static inline sim_bank_use count_banks(const lane_addresses *a, uint32_t bytes) {
    uint64_t list[SIM_WARP_LANES];
    sim_bank_use use = banks_of_regular(a, bytes);
    if (use.wavefronts) return use;
    list_addresses(a, list);
    return count_banks_any(list, a->lanes, bytes);
}

// ---- What the handlers call ----

typedef enum count_kind { COUNT_READ, COUNT_WRITE, COUNT_BOTH } count_kind;

static inline sim_raw_counts *counts_of(const sim_warp *warp, const sim_instr *instr) {
    return &warp->record.counts[instr->pc];
}

static inline void mark_kinds(const sim_warp *warp, count_kind kind, uint64_t first,
                              uint64_t last) {
    const sim_footprint *footprint = warp->record.footprint;
    if (kind != COUNT_WRITE) sim_footprint_mark(footprint, footprint->read, first, last);
    if (kind != COUNT_READ) sim_footprint_mark(footprint, footprint->written, first, last);
}

static inline sim_trace_kind trace_kind(const sim_instr *instr, count_kind kind) {
    if (kind == COUNT_BOTH) return SIM_TRACE_ATOMIC;
    if (kind == COUNT_WRITE) return SIM_TRACE_STORE;
    bool of_block = instr->order == SIM_ORDER_RELAXED && instr->scope == SIM_FENCE_CTA;
    if (instr->cache == SIM_CACHE_PAST_L1 || (instr->mods & SIM_MOD_VOLATILE && !of_block))
        return SIM_TRACE_LOAD_PAST_L1;
    return instr->cache == SIM_CACHE_ONCE ? SIM_TRACE_LOAD_ONCE : SIM_TRACE_LOAD;
}

// Of lanes that are a whole sector apart or more, or have no pattern: the list is made once.
static __attribute__((noinline)) uint32_t
count_and_mark_scattered(sim_warp *warp, const sim_instr *instr, const lane_addresses *a,
                         uint32_t bytes, count_kind kind) {
    const sim_footprint *footprint = warp->record.footprint;
    uint64_t list[SIM_WARP_LANES];
    list_addresses(a, list);
    if (kind != COUNT_WRITE) mark_listed(footprint, footprint->read, list);
    if (kind != COUNT_READ) mark_listed(footprint, footprint->written, list);
    record_scattered(warp, instr, list, a->lanes, bytes, trace_kind(instr, kind));
    if (a->pattern == PATTERN_AFFINE) return (uint32_t)__builtin_popcount(a->lanes);
    return count_sectors_any(list);
}

static __attribute__((noinline)) uint32_t count_and_mark_any(sim_warp *warp, const sim_instr *instr,
                                                             const lane_addresses *a,
                                                             uint32_t bytes, count_kind kind) {
    const sim_footprint *footprint = warp->record.footprint;
    if (a->pattern == PATTERN_ANY || !is_dense(a))
        return count_and_mark_scattered(warp, instr, a, bytes, kind);
    if (kind != COUNT_WRITE) mark_sectors(footprint, footprint->read, a);
    if (kind != COUNT_READ) mark_sectors(footprint, footprint->written, a);
    record_dense(warp, instr, a, bytes, trace_kind(instr, kind));
    return count_sectors(a);
}

// Two rows, one a half-warp: what 16-wide tiles and blocks give.
static inline bool is_two_rows(const lane_addresses *a) {
    return a->pattern == PATTERN_HALVES && a->lanes == SIM_ALL_LANES && is_dense(a);
}

static __attribute__((noinline)) uint32_t count_and_mark_rows(sim_warp *warp,
                                                              const sim_instr *instr,
                                                              const lane_addresses *a,
                                                              uint32_t bytes, count_kind kind) {
    uint32_t bound = warp->record.watched;
    uint64_t span = (uint64_t)(a->stride * (HALF_WARP - 1));
    uint64_t below = a->stride < 0 ? span : 0, above = a->stride < 0 ? 0 : span;
    uint64_t low[2] = {a->base[0] + below, a->base[1] + below};
    uint64_t high[2] = {a->base[0] + above, a->base[1] + above};
    mark_kinds(warp, kind, low[0], high[0]);
    mark_kinds(warp, kind, low[1], high[1]);
    warp->record.requests++;
    if (__builtin_expect(
            samples_span(bound, low[0], high[0]) || samples_span(bound, low[1], high[1]), 0))
        record_list(warp, instr, a, bytes, trace_kind(instr, kind));
    return sectors_of_spans(low[0] / SECTOR, high[0] / SECTOR, low[1] / SECTOR, high[1] / SECTOR);
}

// Notes who wrote, lane by lane; lanes in a row are one range.
static __attribute__((noinline)) void note_writer(const sim_footprint *footprint,
                                                  const lane_addresses *a, uint32_t bytes) {
    sim_writers *writers = footprint->writers;
    bool row = a->pattern == PATTERN_AFFINE && a->stride == (int64_t)bytes && is_row(a->lanes);
    if (a->pattern == PATTERN_UNIFORM || row) {
        sim_writers_note(writers, a->low, a->high - a->low + bytes, writers->kernel);
        return;
    }
    for (uint32_t rest = a->lanes; rest; rest &= rest - 1)
        sim_writers_note(writers, address_of(a, (uint32_t)__builtin_ctz(rest)), bytes,
                         writers->kernel);
}

// By the rules of another card.
static __attribute__((noinline)) void count_global_legacy(sim_warp *warp, const sim_instr *instr,
                                                          const lane_addresses *a, uint32_t bytes,
                                                          count_kind kind) {
    sim_raw_counts *counts = counts_of(warp, instr);
    uint64_t list[SIM_WARP_LANES];
    counts->requests++;
    if (kind != COUNT_READ && warp->record.footprint->writers)
        note_writer(warp->record.footprint, a, bytes);
    count_and_mark_any(warp, instr, a, bytes, kind);
    list_addresses(a, list);
    counts->sectors += sim_legacy_units(warp->legacy, list, a->lanes, bytes);
}

// With its lines as the lanes list them.
static inline void count_global_listed(sim_warp *warp, const sim_instr *instr,
                                       const lane_addresses *a, uint32_t bytes, count_kind kind) {
    sim_raw_counts *counts = counts_of(warp, instr);
    if (__builtin_expect(warp->legacy != NULL, 0)) {
        count_global_legacy(warp, instr, a, bytes, kind);
        return;
    }
    counts->requests++;
    if (kind != COUNT_READ && __builtin_expect(warp->record.footprint->writers != NULL, 0))
        note_writer(warp->record.footprint, a, bytes);
    counts->sectors += count_and_mark_any(warp, instr, a, bytes, kind);
}

// Of accesses that other blocks may watch: who waits for whom.
static inline void note_chain(sim_warp *warp, const lane_addresses *a, bool is_store) {
    sim_block_record *block = &warp->block->record;
    uint32_t lanes = a->pattern == PATTERN_UNIFORM ? a->lanes & (0 - a->lanes) : a->lanes;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        sim_block_chain_note(&block->worker->launch->chain, block->index, &block->chain,
                             warp->record.index, warp->record.fences,
                             address_of(a, (uint32_t)__builtin_ctz(rest)), is_store);
}

static inline void count_global(sim_warp *warp, const sim_instr *instr, const lane_addresses *a,
                                uint32_t bytes, count_kind kind) {
    if (__builtin_expect(warp->legacy != NULL, 0)) {
        count_global_legacy(warp, instr, a, bytes, kind);
        return;
    }
    sim_raw_counts *counts = counts_of(warp, instr);
    bool one_span =
        a->pattern <= PATTERN_AFFINE || (a->pattern == PATTERN_HALVES && a->base[0] == a->base[1]);
    counts->requests++;
    if (kind != COUNT_READ && __builtin_expect(warp->record.footprint->writers != NULL, 0))
        note_writer(warp->record.footprint, a, bytes);
    if (a->lanes == SIM_ALL_LANES && is_dense(a) &&
        one_span) { // the most frequent kinds, without a call
        mark_kinds(warp, kind, a->low, a->high);
        record_span(warp, instr, a, bytes, trace_kind(instr, kind));
        counts->sectors += a->high / SECTOR - a->low / SECTOR + 1;
    } else if (is_two_rows(a)) {
        counts->sectors += count_and_mark_rows(warp, instr, a, bytes, kind);
    } else {
        counts->sectors += count_and_mark_any(warp, instr, a, bytes, kind);
    }
}

// Whether ptxas lets one lane do what all lanes ask of one word: as the machine code says; without
// it, integer reductions of lanes that happen to name one word are taken for such.
static inline bool is_aggregated(const sim_instr *instr, bool one_word) {
    if (instr->machine != SIM_MACHINE_UNKNOWN) return instr->machine == SIM_MACHINE_AGGREGATED;
    bool sums = instr->variant <= SIM_ATOMIC_MAX ||
                (instr->variant >= SIM_ATOMIC_AND && instr->variant <= SIM_ATOMIC_XOR);
    return one_word && sums && instr->op == SIM_OP_RED &&
           ptx_type_bytes((ptx_type)instr->type) == 4 && instr->type != PTX_F32 &&
           instr->type != PTX_F16X2 && instr->type != PTX_BF16X2;
}

// Passes that one round of a shared atomic costs: a plain 32-bit operation of integers is done at
// the banks; compare-and-swap takes two, and what is not done there (floats, 64 bits) is a loop of
// them.
static inline uint32_t atomic_pass_cost(const sim_instr *instr) {
    bool word = ptx_type_bytes((ptx_type)instr->type) == 4;
    bool is_float = instr->type == PTX_F32 || instr->type == PTX_F16X2 || instr->type == PTX_BF16X2;
    return word && !is_float && instr->variant != SIM_ATOMIC_CAS ? 1 : 2;
}

static inline uint32_t atomic_sectors(const sim_instr *instr, const lane_addresses *a,
                                      uint32_t bytes) {
    uint64_t list[SIM_WARP_LANES];
    int64_t apart = a->stride < 0 ? -a->stride : a->stride;
    if (is_aggregated(instr, a->pattern == PATTERN_UNIFORM)) return 1;
    if (a->pattern == PATTERN_UNIFORM) return (uint32_t)__builtin_popcount(a->lanes);
    if (a->pattern == PATTERN_AFFINE && apart >= (int64_t)bytes) return count_sectors(a);
    list_addresses(a, list);
    return sim_access_atomic_sectors(list, a->lanes, bytes);
}

// Operations of the L2, lane by lane, or one for all lanes.
static __attribute__((noinline)) void note_contention(sim_warp *warp, const sim_instr *instr,
                                                      const uint64_t address[SIM_WARP_LANES],
                                                      uint32_t lanes, bool one_word) {
    sim_contended_atomics_note(&warp->block->worker->record.atomics, warp->block->index, address,
                               lanes, one_word && is_aggregated(instr, true));
}

static inline void count_global_atomic(sim_warp *warp, const sim_instr *instr,
                                       const lane_addresses *a, uint32_t bytes) {
    sim_raw_counts *counts = counts_of(warp, instr);
    uint64_t before = counts->sectors;
    count_global(warp, instr, a, bytes, COUNT_BOTH); // marks and records what is touched
    uint64_t distinct = counts->sectors - before, all = atomic_sectors(instr, a, bytes);
    uint64_t list[SIM_WARP_LANES];
    list_addresses(a, list);
    note_contention(warp, instr, list, a->lanes, a->pattern == PATTERN_UNIFORM);
    counts->sectors = before + all;
    counts->conflicts += all > distinct ? all - distinct : 0;
}

static inline void count_shared_atomic(const sim_warp *warp, const sim_instr *instr,
                                       const lane_addresses *a, uint32_t bytes) {
    sim_raw_counts *counts = counts_of(warp, instr);
    uint64_t list[SIM_WARP_LANES];
    counts->requests++;
    if (is_aggregated(instr, a->pattern == PATTERN_UNIFORM)) {
        counts->wavefronts += 1;
    } else if (instr->machine == SIM_MACHINE_COUNTED) {
        counts->wavefronts += count_banks(a, bytes).wavefronts;
    } else {
        list_addresses(a, list);
        counts->wavefronts +=
            atomic_pass_cost(instr) * sim_access_atomic_passes(list, a->lanes, bytes);
    }
}

static inline void count_constant(const sim_warp *warp, const sim_instr *instr,
                                  const lane_addresses *a) {
    sim_raw_counts *counts = counts_of(warp, instr);
    uint64_t list[SIM_WARP_LANES];
    counts->requests++;
    if (a->pattern == PATTERN_UNIFORM) {
        counts->wavefronts += 1;
    } else {
        list_addresses(a, list);
        counts->wavefronts += sim_access_constant_words(list, a->lanes);
    }
}

static __attribute__((noinline)) sim_bank_use
count_banks_legacy(const sim_device *device, const lane_addresses *a, uint32_t bytes) {
    uint64_t list[SIM_WARP_LANES];
    list_addresses(a, list);
    return sim_legacy_banks(device, list, a->lanes, bytes);
}

// Places of whole words, all moved by the same bytes, meet as before. So an access whose lanes are
// as far apart as those of an earlier one has its answer.
static __attribute__((noinline)) sim_bank_use
count_banks_again(const sim_warp *warp, const uint32_t place[SIM_WARP_LANES], uint32_t lanes,
                  uint32_t bytes) {
    uint64_t list[SIM_WARP_LANES];
    uint32_t apart[SIM_WARP_LANES];
    for (int i = 0; i < SIM_WARP_LANES; i++) apart[i] = place[i] - place[0];
    uint32_t hash = (apart[1] + 7 * apart[8] + 31 * apart[16] + 127 * apart[31]) * 0x9E3779B1u;
    sim_bank_pattern *known = &warp->block->worker->patterns[hash >> 27]; // of SIM_BANK_PATTERNS
    uint32_t differ = (known->lanes ^ lanes) | (known->bytes ^ bytes);
    for (int i = 0; i < SIM_WARP_LANES; i++) differ |= apart[i] ^ known->apart[i];
    if (!differ) return known->use;
    for (int i = 0; i < SIM_WARP_LANES; i++) list[i] = place[i];
    *known = (sim_bank_pattern){lanes, bytes, {0}, count_banks_any(list, lanes, bytes)};
    memcpy(known->apart, apart, sizeof apart);
    return known->use;
}

static sim_bank_use count_banks_listed(const sim_warp *warp, const lane_addresses *a,
                                       uint32_t bytes) {
    uint64_t list[SIM_WARP_LANES];
    uint32_t place[SIM_WARP_LANES];
    list_addresses(a, list);
    if (bytes < SIM_BANK_BYTES) return count_banks_any(list, a->lanes, bytes);
    for (int i = 0; i < SIM_WARP_LANES; i++) place[i] = (uint32_t)list[i];
    return count_banks_again(warp, place, a->lanes, bytes);
}

static inline void add_banks(sim_raw_counts *counts, sim_bank_use use) {
    counts->requests++;
    counts->wavefronts += use.wavefronts;
    counts->conflicts += use.wavefronts - use.conflict_free;
}

static inline void count_shared(const sim_warp *warp, const sim_instr *instr,
                                const lane_addresses *a, uint32_t bytes) {
    sim_bank_use use;
    if (__builtin_expect(warp->legacy != NULL, 0)) {
        use = count_banks_legacy(warp->legacy, a, bytes);
    } else {
        use = banks_of_regular(a, bytes);
        if (use.wavefronts == 0) use = count_banks_listed(warp, a, bytes);
    }
    add_banks(counts_of(warp, instr), use);
}
