// Quick forms of accesses that fast.c alone has.
#pragma once

#include "ops/memory/count.h"

// ---- row ----------------------------------------------------------------------------------------
// Some lanes of 32 words in a row, all of them in shared memory, as a step of a reduction or what a
// last warp has left access them: one wavefront. Their checks and counts in the shortest form.

enum { ROW_BYTES = SIM_WARP_LANES * SIM_BANK_BYTES };
_Static_assert(ROW_BYTES - SIM_BANK_BYTES < SIM_SHARED_SLACK, "lanes that are off");

// Whether they lie so; *out_first: offset of lane 0 in the block's shared memory. Lanes that are
// off may lie after the end.
ALWAYS_INLINE bool is_row_of_words(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                                   uint32_t *out_first) {
    const uint32_t *at = SLOT(const uint32_t, instr->src[0]);
    uint32_t first = at[0] + (uint32_t)instr->offset - warp->shared_first;
    uint64_t end = first + (uint64_t)ROW_BYTES - SIM_BANK_BYTES * (uint32_t)__builtin_clz(lanes);
    *out_first = first;
    if (at[1] - at[0] != SIM_BANK_BYTES || at[HALF_WARP] - at[0] != ROW_BYTES / 2 ||
        first % SIM_BANK_BYTES || end > warp->shared_bytes || warp->legacy)
        return false;
    uint32_t number = regular_number(warp, instr);
    if (was_found_regular(warp, number)) return true;
    if (!HALVES_ARE_REGULAR(uint32_t, at, SIM_BANK_BYTES)) return false;
    note_regular(warp, number);
    return true;
}

static __attribute__((noinline)) void observe_row(const sim_warp *warp, const sim_instr *instr,
                                                  uint32_t lanes, uint32_t first) {
    const sim_access_rows rows = {.base = {first, first + ROW_BYTES / 2},
                                  .stride = SIM_BANK_BYTES,
                                  .lanes = lanes,
                                  .bytes = SIM_BANK_BYTES,
                                  .space = PTX_SPACE_SHARED,
                                  .is_store = instr->op == SIM_OP_ST};
    sim_observe_rows(warp, instr, &rows);
}

// Whether the lanes stay inside the variable that their address is formed from.
ALWAYS_INLINE bool row_is_in_variable(const sim_row_notes *notes, const sim_instr *instr,
                                      uint32_t lanes, uint32_t a, uint32_t b, uint32_t stride) {
    const sim_symbol *symbol = &notes->symbols[instr->variable - 1];
    uint64_t low = a - symbol->address, high = b - symbol->address, size = symbol->size_bytes;
    uint32_t row = stride * (HALF_WARP - 1) + SIM_BANK_BYTES;
    if (lanes != SIM_ALL_LANES) { // of one row of 32
        high = low + stride * (31 - (uint32_t)__builtin_clz(lanes));
        low += stride * (uint32_t)__builtin_ctz(lanes);
        row = SIM_BANK_BYTES;
    }
    return size >= row && low <= size - row && high <= size - row;
}

// Whether a load is noted, so that it need not be told.
ALWAYS_INLINE bool note_row(sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint32_t a,
                            uint32_t b, uint32_t stride) {
    sim_row_notes *notes = warp->notes;
    if (!notes || a >= notes->below || b >= notes->below || ((a | b) & (SIM_BANK_BYTES - 1)) ||
        has(instr, SIM_MOD_VOLATILE) || instr->dropped || notes->count == SIM_ROW_NOTES)
        return false;
    if (instr->variable && !row_is_in_variable(notes, instr, lanes, a, b, stride)) return false;
    notes->last[warp->index] = instr;
    sim_row_note *note = &notes->at[notes->count++];
    note->instr = instr;
    note->base[0] = a;
    note->base[1] = b;
    note->lanes = lanes;
    note->warp = (uint16_t)warp->index;
    note->stride = (uint8_t)stride;
    note->is_store = false;
    warp->block->burden += SIM_ACCESS_BURDEN;
    return true;
}

ALWAYS_INLINE void count_row(const sim_warp *warp, const sim_instr *instr) {
    sim_raw_counts *counts = counts_of(warp, instr);
    counts->requests++;
    counts->wavefronts++;
}

// A handler for some lanes, name##_some: name##_row where they lie so, else name##_any.
#define SOME_LANES(name, is_store)                                                                 \
    static __attribute__((noinline)) void name##_some_observed(                                    \
        sim_warp *warp, const sim_instr *instr, uint32_t lanes) {                                  \
        uint32_t first;                                                                            \
        if (!is_row_of_words(warp, instr, lanes, &first)) {                                        \
            name##_any(warp, instr, lanes);                                                        \
            return;                                                                                \
        }                                                                                          \
        if ((is_store) ||                                                                          \
            !note_row(warp, instr, lanes, first, first + ROW_BYTES / 2, SIM_BANK_BYTES))           \
            observe_row(warp, instr, lanes, first);                                                \
        name##_row(warp, instr, lanes, first);                                                     \
    }                                                                                              \
    static __attribute__((noinline)) void name##_some(sim_warp *warp, const sim_instr *instr,      \
                                                      uint32_t lanes) {                            \
        uint32_t first;                                                                            \
        if (__builtin_expect(warp->observing, 0)) {                                                \
            name##_some_observed(warp, instr, lanes);                                              \
        } else if (!is_row_of_words(warp, instr, lanes, &first)) {                                 \
            name##_any(warp, instr, lanes);                                                        \
        } else {                                                                                   \
            if (warp->counting) count_row(warp, instr);                                            \
            name##_row(warp, instr, lanes, first);                                                 \
        }                                                                                          \
    }

// ---- words --------------------------------------------------------------------------------------
// Loads of whole words of shared memory, one to four per lane, by full warps whose addresses are
// not two rows or two places (halves.h): all lanes by lists of 32 bits, without a look for a
// pattern.

// Fills `place` with the offsets of `bytes` bytes each, and counts the access. False, and nothing
// done: not all are aligned and inside.
static __attribute__((noinline)) bool find_words(sim_warp *warp, const sim_instr *instr,
                                                 uint32_t bytes, uint32_t place[SIM_WARP_LANES]) {
    const uint32_t *at = SLOT(const uint32_t, instr->src[0]);
    const uint32_t offset = (uint32_t)instr->offset - warp->shared_first;
    uint32_t high = 0, set_bits = 0;
    EACH_LANE {
        place[i] = at[i] + offset;
        high = place[i] > high ? place[i] : high;
        set_bits |= place[i];
    }
    if ((set_bits & (bytes - 1)) != 0) return false;
    if (high >= warp->shared_bytes || bytes > warp->shared_bytes - high) return false;
    if (warp->counting)
        add_banks(counts_of(warp, instr), count_banks_again(warp, place, SIM_ALL_LANES, bytes));
    return true;
}

typedef uint32_t four_words __attribute__((vector_size(16)));
#if defined(__has_builtin) && __has_builtin(__builtin_shufflevector)
#define LOWER_WORDS(x, y) __builtin_shufflevector(x, y, 0, 4, 1, 5)
#define UPPER_WORDS(x, y) __builtin_shufflevector(x, y, 2, 6, 3, 7)
#else
#define LOWER_WORDS(x, y)                                                                          \
    (four_words) { x[0], y[0], x[1], y[1] }
#define UPPER_WORDS(x, y)                                                                          \
    (four_words) { x[2], y[2], x[3], y[3] }
#endif

// Four words of each of four lanes become a word of all four, four times.
ALWAYS_INLINE void transpose_words(const uint8_t *memory, const uint32_t place[4], uint32_t *to[4],
                                   uint32_t lane) {
    four_words a, b, c, d, out[4];
    memcpy(&a, memory + place[0], sizeof a);
    memcpy(&b, memory + place[1], sizeof b);
    memcpy(&c, memory + place[2], sizeof c);
    memcpy(&d, memory + place[3], sizeof d);
    four_words ac = LOWER_WORDS(a, c), bd = LOWER_WORDS(b, d);
    out[0] = LOWER_WORDS(ac, bd);
    out[1] = UPPER_WORDS(ac, bd);
    ac = UPPER_WORDS(a, c);
    bd = UPPER_WORDS(b, d);
    out[2] = LOWER_WORDS(ac, bd);
    out[3] = UPPER_WORDS(ac, bd);
    for (int part = 0; part < 4; part++) memcpy(to[part] + lane, &out[part], sizeof out[part]);
}

static __attribute__((noinline)) void
move_four_words(const uint8_t *memory, const uint32_t place[SIM_WARP_LANES], uint32_t *to[4]) {
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane += 4)
        transpose_words(memory, place + lane, to, lane);
}

// `count`: a constant.
ALWAYS_INLINE void move_words(sim_warp *warp, const sim_instr *instr,
                              const uint32_t place[SIM_WARP_LANES], uint32_t count) {
    uint32_t *to[4] = {NULL};
    bool all = true;
    for (uint32_t part = 0; part < count; part++) {
        uint32_t slot = count == 1 ? instr->dst : vector_slot(warp, instr, part);
        if (count > 1 && slot == SIM_NO_SLOT) all = false;
        else to[part] = SLOT(uint32_t, slot);
    }
    if (count == 4 && all) {
        move_four_words(warp->shared, place, to);
        return;
    }
    for (uint32_t part = 0; part < count; part++) {
        const uint8_t *from = warp->shared + part * sizeof(uint32_t);
        for (int i = 0; to[part] && i < SIM_WARP_LANES; i++)
            memcpy(&to[part][i], from + place[i], sizeof(uint32_t));
    }
}

// ---- far ----------------------------------------------------------------------------------------
// Loads of words whose lanes lie whole lines of this machine's cache apart, as when every thread
// reads a row of a matrix. Sixteen in a row find the same 32 lines, which throw each other out of
// the cache where rows are a power of two long. The first load notes the lines, the second copies
// them, word by word of all lanes, and those behind it read one row of the copy. It holds until
// this warp writes or looks at what others may have written, and for one time slice.

enum { FAR_LINE = 4 * SIM_FAR_WORDS };

ALWAYS_INLINE bool is_far(const sim_warp *warp, const lane_addresses *a) {
    uint64_t apart = a->base[1] - a->base[0];
    return a->pattern != PATTERN_ANY && a->stride != 0 && a->lanes == SIM_ALL_LANES &&
           (((uint64_t)a->stride | apart) % FAR_LINE | (a->set_bits & 3)) == 0 &&
           !(warp->observing | warp->watched) && !warp->legacy;
}

static inline void copy_far_lines(const sim_warp *warp, const lane_addresses *a,
                                  sim_far_lines *lines) {
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
        const uint8_t *line = warp->origin + address_of(a, lane) / FAR_LINE * FAR_LINE;
        for (int word = 0; word < SIM_FAR_WORDS; word++)
            memcpy(&lines->words[word][lane], line + 4 * word, 4);
    }
    lines->is_copied = true;
}

// The count of a sector's first load is that of the others, unless the cache model wants its lines.
static inline void count_far(sim_warp *warp, const sim_instr *instr, const lane_addresses *a,
                             sim_far_lines *lines) {
    sim_raw_counts *counts = counts_of(warp, instr);
    uint8_t sector = (uint8_t)(1u << a->base[0] % FAR_LINE / SECTOR);
    uint32_t watched = warp->record.watched;
    if (lines->counted & sector && watched <= lines->watched) {
        warp->record.requests++;
        counts->requests++;
        counts->sectors += lines->sectors;
        return;
    }
    uint64_t before = counts->sectors, list[SIM_WARP_LANES];
    count_global(warp, instr, a, 4, COUNT_READ);
    lines->sectors = (uint32_t)(counts->sectors - before);
    list_addresses(a, list);
    if (watched != lines->watched) lines->counted = 0;
    lines->watched = watched;
    if (!sampled_lanes(watched, list)) lines->counted |= sector;
}

// The words of all lanes for an access that is_far, counted; NULL: they are not copied (yet), or
// not all there.
static __attribute__((noinline)) const uint32_t *
far_words(sim_warp *warp, const sim_instr *instr, const lane_addresses *a, const sim_site *site) {
    uint64_t line = a->base[0] / FAR_LINE, apart = a->base[1] - a->base[0];
    uint32_t set = (uint32_t)line % SIM_FAR_SETS;
    sim_far_lines *lines = &warp->block->worker->far[set];
    bool is_same = warp->far >> set & 1 && lines->line == line && lines->stride == a->stride &&
                   lines->apart == apart;
    if (!lies_inside(a, site->base, site->end, 4)) return NULL;
    if (!is_same) {
        warp->far |= 1u << set;
        lines->line = line;
        lines->stride = a->stride;
        lines->apart = apart;
        lines->is_copied = false;
        lines->counted = 0;
        return NULL;
    }
    if (!lines->is_copied) copy_far_lines(warp, a, lines);
    if (warp->counting) count_far(warp, instr, a, lines);
    return lines->words[a->base[0] % FAR_LINE / 4];
}
