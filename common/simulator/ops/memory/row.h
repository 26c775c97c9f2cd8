// SPDX-License-Identifier: MIT
// Some lanes of 32 words in a row, all of them in shared memory, as a step of a reduction or what a
// last warp has left access them: one wavefront. Their checks and counts in the shortest form.
#ifndef SIM_OPS_MEMORY_ROW_H
#define SIM_OPS_MEMORY_ROW_H

#include "ops/memory/count.h"
#include "warps/observe.h"

enum { ROW_BYTES = SIM_WARP_LANES * SIM_BANK_BYTES };

// Whether they lie so; *out_first: offset of lane 0.
ALWAYS_INLINE bool is_row_of_words(sim_warp *warp, const sim_instr *instr, uint32_t *out_first) {
    const uint32_t *at = SLOT(const uint32_t, instr->src[0]);
    uint32_t first = at[0] + (uint32_t)instr->offset;
    *out_first = first;
    if (at[1] - at[0] != SIM_BANK_BYTES || at[HALF_WARP] - at[0] != ROW_BYTES / 2 ||
        first % SIM_BANK_BYTES || first + (uint64_t)ROW_BYTES > warp->shared_bytes || warp->legacy)
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

ALWAYS_INLINE void count_row(const sim_warp *warp, const sim_instr *instr) {
    sim_raw_counts *counts = counts_of(warp, instr);
    counts->requests++;
    counts->wavefronts++;
}

// A handler for some lanes, name##_some: name##_row where they lie so, else name##_any.
#define SOME_LANES(name)                                                                           \
    static __attribute__((noinline)) void name##_some_observed(                                    \
        sim_warp *warp, const sim_instr *instr, uint32_t lanes) {                                  \
        uint32_t first;                                                                            \
        if (!is_row_of_words(warp, instr, &first)) {                                               \
            name##_any(warp, instr, lanes);                                                        \
            return;                                                                                \
        }                                                                                          \
        observe_row(warp, instr, lanes, first);                                                    \
        name##_row(warp, instr, lanes, first);                                                     \
    }                                                                                              \
    static __attribute__((noinline)) void name##_some(sim_warp *warp, const sim_instr *instr,      \
                                                      uint32_t lanes) {                            \
        uint32_t first;                                                                            \
        if (__builtin_expect(warp->observing, 0)) {                                                \
            name##_some_observed(warp, instr, lanes);                                              \
        } else if (!is_row_of_words(warp, instr, &first)) {                                        \
            name##_any(warp, instr, lanes);                                                        \
        } else {                                                                                   \
            if (warp->counting) count_row(warp, instr);                                            \
            name##_row(warp, instr, lanes, first);                                                 \
        }                                                                                          \
    }

#endif
