// The memory access of nearly every instruction of an ordinary kernel: a full warp, each half of
// which names one address, or neighbouring ones. Broadcasts, rows of a matrix and 16-wide tiles are
// all of that kind. Their checks and counts in the shortest form; each gives what warps/lanes.h
// and count.h give for the same lanes.
#pragma once

#include "ops/memory/count.h"

// Lane i is at base[i / 16] + i % 16 * stride; `bytes` a lane, stride 0 or bytes.
typedef struct half_rows {
    uint64_t base[2];
    uint32_t stride, bytes;
} half_rows;

// From the first to the last lane of a half.
ALWAYS_INLINE uint64_t reach_of(const half_rows *rows) {
    return (uint64_t)rows->stride * (HALF_WARP - 1);
}

// Whether all bytes lie in the `size` bytes from `begin` on, and every lane is aligned.
ALWAYS_INLINE bool halves_lie_inside(const half_rows *rows, uint64_t begin, uint64_t size) {
    uint64_t span = reach_of(rows) + rows->bytes;
    return ((rows->base[0] | rows->base[1]) & (rows->bytes - 1)) == 0 && span <= size &&
           rows->base[0] - begin <= size - span && rows->base[1] - begin <= size - span;
}

// The general form, for what is rarely needed.
static inline lane_addresses addresses_of_halves(const half_rows *rows) {
    lane_addresses a = {.pattern = PATTERN_HALVES,
                        .base = {rows->base[0], rows->base[1]},
                        .stride = rows->stride,
                        .lanes = SIM_ALL_LANES};
    finish_regular(&a);
    return a;
}

static inline void count_halves_constant(const sim_warp *warp, const sim_instr *instr,
                                         half_rows rows) {
    lane_addresses a = addresses_of_halves(&rows);
    count_constant(warp, instr, &a);
}

// ---- Device memory ----

static inline count_kind kind_of_access(const sim_instr *instr) {
    return instr->op == SIM_OP_ST ? COUNT_WRITE : COUNT_READ;
}

static __attribute__((noinline)) void record_halves(sim_warp *warp, const sim_instr *instr,
                                                    uint64_t a, uint64_t b, uint32_t stride,
                                                    uint32_t bytes) {
    half_rows rows = {{a, b}, stride, bytes};
    lane_addresses addresses = addresses_of_halves(&rows);
    sim_trace_kind kind = trace_kind(instr, kind_of_access(instr));
    if (addresses.pattern != PATTERN_HALVES || a == b)
        sim_record_span(&warp->record, instr, addresses.low, addresses.high, bytes, true, kind);
    else sim_record_halves(&warp->record, instr, rows.base, stride, bytes, kind);
}

// Rows that reach into a second line.
static __attribute__((noinline)) void count_halves_long(sim_warp *warp, const sim_instr *instr,
                                                        uint64_t a, uint64_t b, uint32_t stride,
                                                        uint32_t bytes) {
    sim_raw_counts *counts = counts_of(warp, instr);
    uint64_t a_end = a + stride * (HALF_WARP - 1), b_end = b + stride * (HALF_WARP - 1);
    uint32_t bound = warp->record.watched;
    mark_kinds(warp, kind_of_access(instr), a, a_end);
    mark_kinds(warp, kind_of_access(instr), b, b_end);
    counts->requests++;
    counts->sectors += sectors_of_spans(a / SECTOR, a_end / SECTOR, b / SECTOR, b_end / SECTOR);
    warp->record.requests++;
    if (samples_span(bound, a, a_end) || samples_span(bound, b, b_end))
        record_halves(warp, instr, a, b, stride, bytes);
}

// Most rows lie in one line each, so that one word of the footprint's map and one hash tell all.
ALWAYS_INLINE void count_halves_as(sim_warp *warp, const sim_instr *instr, half_rows rows,
                                   count_kind kind) {
    uint64_t reach = reach_of(&rows);
    uint64_t a = rows.base[0] - SIM_GLOBAL_BASE, b = rows.base[1] - SIM_GLOBAL_BASE;
    uint64_t a_end = (a + reach) / SECTOR, b_end = (b + reach) / SECTOR;
    a /= SECTOR;
    b /= SECTOR;
    if (__builtin_expect(((a ^ a_end) | (b ^ b_end)) >= SIM_LINE_SECTORS, 0)) {
        count_halves_long(warp, instr, rows.base[0], rows.base[1], rows.stride, rows.bytes);
        return;
    }
    const sim_footprint *footprint = warp->record.footprint;
    _Atomic uint64_t *map = kind == COUNT_READ ? footprint->read : footprint->written;
    sim_raw_counts *counts = counts_of(warp, instr);
    uint64_t a_bits = ((UINT64_C(2) << (a_end - a)) - 1) << a % 64;
    uint64_t b_bits = ((UINT64_C(2) << (b_end - b)) - 1) << b % 64;
    if (a / 64 == b / 64) {
        a_bits |= b_bits;
    } else {
        counts->sectors += b_end - b + 1;
        sim_footprint_mark_word(footprint, map, b / 64, b_bits);
    }
    counts->sectors += (uint64_t)__builtin_popcountll(a_bits);
    sim_footprint_mark_word(footprint, map, a / 64, a_bits);
    counts->requests++;
    warp->record.requests++;
    uint32_t bound = warp->record.watched;
    if (__builtin_expect(sim_trace_hash((uint32_t)(a / SIM_LINE_SECTORS)) <= bound ||
                             sim_trace_hash((uint32_t)(b / SIM_LINE_SECTORS)) <= bound,
                         0))
        record_halves(warp, instr, rows.base[0], rows.base[1], rows.stride, rows.bytes);
}

// Two places, one a half-warp: each lies in one sector.
static __attribute__((noinline)) void count_places_read(sim_warp *warp, const sim_instr *instr,
                                                        uint64_t a, uint64_t b, uint32_t bytes) {
    const sim_footprint *footprint = warp->record.footprint;
    sim_raw_counts *counts = counts_of(warp, instr);
    uint64_t first = (a - SIM_GLOBAL_BASE) / SECTOR, second = (b - SIM_GLOBAL_BASE) / SECTOR;
    counts->requests++;
    counts->sectors += 1 + (first != second);
    warp->record.requests++;
    sim_footprint_mark_word(footprint, footprint->read, first / 64, UINT64_C(1) << first % 64);
    sim_footprint_mark_word(footprint, footprint->read, second / 64, UINT64_C(1) << second % 64);
    uint32_t bound = warp->record.watched;
    if (__builtin_expect(sim_trace_hash((uint32_t)(first / SIM_LINE_SECTORS)) <= bound ||
                             sim_trace_hash((uint32_t)(second / SIM_LINE_SECTORS)) <= bound,
                         0))
        record_halves(warp, instr, a, b, 0, bytes);
}

// Their parts one by one, which puts them into registers.
static __attribute__((noinline)) void count_halves_read(sim_warp *warp, const sim_instr *instr,
                                                        uint64_t a, uint64_t b, uint32_t stride,
                                                        uint32_t bytes) {
    count_halves_as(warp, instr, (half_rows){{a, b}, stride, bytes}, COUNT_READ);
}
static __attribute__((noinline)) void count_halves_written(sim_warp *warp, const sim_instr *instr,
                                                           uint64_t a, uint64_t b, uint32_t stride,
                                                           uint32_t bytes) {
    sim_writers *writers = warp->record.footprint->writers;
    if (__builtin_expect(writers != NULL, 0)) { // a stride is that of neighbours, or none
        uint64_t row_bytes = (uint64_t)stride * (HALF_WARP - 1) + bytes;
        sim_writers_note(writers, a, row_bytes, writers->kernel);
        sim_writers_note(writers, b, row_bytes, writers->kernel);
    }
    count_halves_as(warp, instr, (half_rows){{a, b}, stride, bytes}, COUNT_WRITE);
}

// ---- Shared memory ----

static __attribute__((noinline)) void count_narrow_halves(const sim_warp *warp,
                                                          const sim_instr *instr, uint64_t a,
                                                          uint64_t b, uint32_t stride,
                                                          uint32_t bytes) {
    half_rows rows = {{a, b}, stride, bytes};
    lane_addresses addresses = addresses_of_halves(&rows);
    count_shared(warp, instr, &addresses, bytes);
}

ALWAYS_INLINE sim_bank_use banks_of_halves(const half_rows *rows) {
    uint64_t a = rows->base[0], b = rows->base[1];
    if (rows->bytes == SIM_BANK_BYTES)
        return (sim_bank_use){passes_of_halves(a, b, rows->stride), 1};
    uint32_t words = rows->bytes / SIM_BANK_BYTES;
    if (rows->stride) return (sim_bank_use){words, words};
    return uniform_halves_wide(a, b, rows->bytes);
}

ALWAYS_INLINE void count_halves_shared(const sim_warp *warp, const sim_instr *instr,
                                       half_rows rows) {
    if (rows.bytes < SIM_BANK_BYTES) {
        count_narrow_halves(warp, instr, rows.base[0], rows.base[1], rows.stride, rows.bytes);
        return;
    }
    sim_raw_counts *counts = counts_of(warp, instr);
    sim_bank_use use = banks_of_halves(&rows);
    counts->requests++;
    counts->wavefronts += use.wavefronts;
    counts->conflicts += use.wavefronts - use.conflict_free;
}
