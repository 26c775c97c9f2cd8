// SPDX-License-Identifier: MIT
// Some lanes of 32 words in a row, all of them in shared memory, as a step of a reduction or what a
// last warp has left access them: one wavefront. Their checks and counts in the shortest form.
#ifndef SIM_OPS_MEMORY_ROW_H
#define SIM_OPS_MEMORY_ROW_H

#include "ops/memory/count.h"
#include "warps/observe.h"

enum { ROW_BYTES = SIM_WARP_LANES * SIM_BANK_BYTES };
_Static_assert(ROW_BYTES - SIM_BANK_BYTES < SIM_SHARED_SLACK, "lanes that are off");

// Whether they lie so; *out_first: offset of lane 0. Lanes that are off may lie after the end.
ALWAYS_INLINE bool is_row_of_words(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                                   uint32_t *out_first) {
    const uint32_t *at = SLOT(const uint32_t, instr->src[0]);
    uint32_t first = at[0] + (uint32_t)instr->offset;
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

#endif
