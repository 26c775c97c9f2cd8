// SPDX-License-Identifier: MIT
// Loads of whole words of shared memory, one to four per lane, by full warps whose addresses are
// not two rows or two places (halves.h): all lanes by lists of 32 bits, without a look for a
// pattern.
#ifndef SIM_OPS_MEMORY_WORDS_H
#define SIM_OPS_MEMORY_WORDS_H

#include "ops/memory/count.h"

// Fills `place` with the offsets of `bytes` bytes each, and counts the access. False, and nothing
// done: not all are aligned and inside.
static __attribute__((noinline)) bool find_words(sim_warp *warp, const sim_instr *instr,
                                                 uint32_t bytes, uint32_t place[SIM_WARP_LANES]) {
    const uint32_t *at = SLOT(const uint32_t, instr->src[0]), offset = (uint32_t)instr->offset;
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
    (four_words) {                                                                                 \
        x[0], y[0], x[1], y[1]                                                                     \
    }
#define UPPER_WORDS(x, y)                                                                          \
    (four_words) {                                                                                 \
        x[2], y[2], x[3], y[3]                                                                     \
    }
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
        if (count > 1 && slot == SIM_NO_SLOT)
            all = false;
        else
            to[part] = SLOT(uint32_t, slot);
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

#endif
