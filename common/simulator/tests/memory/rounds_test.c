// SPDX-License-Identifier: MIT
// Which wavefront serves which lane: as many as the counting rules say, never two words of a bank
// in one, and all lanes that ask for one word in the same.
#include <check.h>
#include <stdbool.h>
#include <string.h>

#include "memory/access.h"
#include "suite.h"

enum { TRIES = 3000, WAVES = 256 };
#define ALL UINT32_C(0xFFFFFFFF)

// Fixed pseudo-random numbers.
static uint32_t next(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void check(const uint64_t offsets[32], uint32_t lanes, uint32_t bytes) {
    sim_bank_round rounds[32][SIM_ACCESS_WORDS];
    uint64_t word_of[WAVES][SIM_BANKS];
    uint32_t words = bytes < 4 ? 1 : bytes / 4;
    memset(word_of, 0xFF, sizeof word_of);
    uint32_t count = sim_access_bank_rounds(offsets, lanes, bytes, rounds);
    ck_assert_uint_eq(count, sim_access_banks(offsets, lanes, bytes).wavefronts);
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t k = 0; lanes >> lane & 1 && k < words; k++) {
            uint64_t word = offsets[lane] / 4 + k,
                     *at = &word_of[rounds[lane][k].wavefront][word % 32];
            ck_assert_uint_lt(rounds[lane][k].wavefront, count);
            ck_assert(*at == UINT64_MAX || *at == word);
            *at = word;
        }
}

static void check_atomic(const uint64_t offsets[32], uint32_t lanes, uint32_t bytes) {
    sim_bank_round rounds[32];
    bool used[WAVES][SIM_BANKS] = {{false}};
    uint32_t width = bytes < 4 ? 4 : bytes, banks = 128 / width;
    uint32_t count = sim_access_atomic_rounds(offsets, lanes, bytes, rounds);
    ck_assert_uint_eq(count, sim_access_atomic_passes(offsets, lanes, bytes));
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(lanes >> lane & 1)) continue;
        bool *at = &used[rounds[lane].wavefront][offsets[lane] / width % banks];
        ck_assert_uint_lt(rounds[lane].wavefront, count);
        ck_assert(!*at); // one lane of each bank
        *at = true;
    }
}

START_TEST(textbook_patterns) {
    uint64_t column[32], padded[32], one[32];
    sim_bank_round rounds[32][SIM_ACCESS_WORDS];
    for (uint32_t lane = 0; lane < 32; lane++) {
        column[lane] = lane * 32 * 4;
        padded[lane] = lane * 33 * 4;
        one[lane] = 20;
    }
    ck_assert_uint_eq(sim_access_bank_rounds(column, ALL, 4, rounds), 32);
    for (uint32_t lane = 0; lane < 32; lane++) ck_assert_uint_eq(rounds[lane][0].wavefront, lane);
    ck_assert_uint_eq(sim_access_bank_rounds(padded, ALL, 4, rounds), 1);
    ck_assert_uint_eq(sim_access_bank_rounds(one, ALL, 4, rounds), 1);
    sim_bank_round atomic_rounds[32];
    ck_assert_uint_eq(sim_access_atomic_rounds(one, ALL, 4, atomic_rounds), 32);
    ck_assert_uint_eq(sim_access_atomic_rounds(one, 0x80000001u, 4, atomic_rounds), 2);
}
END_TEST

START_TEST(any_pattern) {
    uint32_t state = 12345;
    for (int i = 0; i < TRIES; i++) {
        uint64_t offsets[32];
        uint32_t bytes = 1u << next(&state) % 5, lanes = i % 3 ? ALL : next(&state) | 1;
        uint32_t span = 1u << (1 + next(&state) % 9);
        for (uint32_t lane = 0; lane < 32; lane++)
            offsets[lane] = (uint64_t)(next(&state) % span) * bytes;
        check(offsets, lanes, bytes);
        if (bytes <= 8) check_atomic(offsets, lanes, bytes);
    }
}
END_TEST

KL_TEST_MAIN("rounds", textbook_patterns, any_pattern)
