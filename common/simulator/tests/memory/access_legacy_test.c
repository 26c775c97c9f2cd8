// SPDX-License-Identifier: MIT
// Counting rules of older cards: the examples of the CUDA C Programming Guide 4.2 (appendix F) for
// half-warps and 16 banks, those of guide 8.0 for banks of 8 bytes.
#include "memory/access.h"

#include <stdbool.h>
#include <string.h>

#include "device/device_text.h"
#include "suite.h"

enum { ALL = 0xFFFFFFFF, FIRST_HALF = 0xFFFF };

static const sim_device *segments(void) {
    const sim_device *d = NULL;
    ck_assert_int_eq(sim_device_from_text("like=gtx8800;coalescing=2;compute_minor=3", &d, NULL),
                     SIM_OK);
    return d;
}

static void rows(uint64_t at[32], uint64_t base, int64_t step) {
    for (int lane = 0; lane < 32; lane++) at[lane] = base + (uint64_t)(step * lane);
}

static uint32_t units(const sim_device *d, uint64_t base, int64_t step, uint32_t bytes,
                      uint32_t lanes) {
    uint64_t at[32];
    rows(at, base, step);
    return sim_legacy_units(d, at, lanes, bytes);
}

static uint32_t transactions(const sim_device *d, uint64_t base, int64_t step, uint32_t bytes,
                             uint32_t lanes) {
    uint64_t at[32];
    rows(at, base, step);
    return sim_legacy_transactions(d, at, lanes, bytes);
}

START_TEST(half_warps_in_sequence) {
    const sim_device *d = sim_device_find("gtx8800");
    ck_assert_uint_eq(transactions(d, 0x1000, 4, 4, ALL), 2); // one of 64 bytes per half-warp
    ck_assert_uint_eq(units(d, 0x1000, 4, 4, ALL), 4);
    ck_assert_uint_eq(transactions(d, 0x1000, 8, 8, ALL), 2); // of 128
    ck_assert_uint_eq(units(d, 0x1000, 8, 8, ALL), 8);
    ck_assert_uint_eq(transactions(d, 0x1000, 16, 16, ALL), 4); // two of 128
    ck_assert_uint_eq(units(d, 0x1000, 16, 16, ALL), 16);
    ck_assert_uint_eq(units(d, 0x1004, 4, 4, ALL), 32); // misaligned: 16 of 32 bytes, twice
    ck_assert_uint_eq(transactions(d, 0x1004, 4, 4, ALL), 32);
    ck_assert_uint_eq(units(d, 0x1020, 4, 4, ALL), 32); // aligned to 32, not to 64
    ck_assert_uint_eq(units(d, 0x1040, 4, 4, ALL), 4);
    ck_assert_uint_eq(units(d, 0x1000, 0, 4, ALL), 32); // all the same word
    ck_assert_uint_eq(units(d, 0x1000, 1, 1, ALL), 32); // bytes never coalesce
    ck_assert_uint_eq(units(d, 0x1000, 2, 2, ALL), 32);
    ck_assert_uint_eq(units(d, 0x107c, -4, 4, ALL), 32); // the k-th lane must ask for the k-th word
    ck_assert_uint_eq(units(d, 0x1000, 4, 4, FIRST_HALF), 2);
    ck_assert_uint_eq(units(d, 0x1000, 4, 4, 0x00F0), 2); // lanes that are off do not matter
    ck_assert_uint_eq(units(d, 0x1004, 4, 4, 0x00F0), 4);
    ck_assert_uint_eq(units(d, 0x1000, 4, 4, 0x80000000), 2);
}
END_TEST

START_TEST(two_lanes_exchanged) {
    uint64_t at[32];
    rows(at, 0x1000, 4);
    at[3] = 0x1010;
    at[4] = 0x100c;
    ck_assert_uint_eq(sim_legacy_units(sim_device_find("gtx8800"), at, ALL, 4), 16 + 2);
    ck_assert_uint_eq(sim_legacy_units(segments(), at, ALL, 4), 4);
}
END_TEST

START_TEST(segments_of_half_warps) {
    const sim_device *d = segments();
    ck_assert_uint_eq(transactions(d, 0x1000, 4, 4, ALL), 2);
    ck_assert_uint_eq(units(d, 0x1000, 4, 4, ALL), 4);
    // Misaligned by a word: a half-warp inside one segment takes all of its 128 bytes; one that
    // straddles two takes 64 (32) of the one and 32 of the other.
    ck_assert_uint_eq(units(d, 0x1004, 4, 4, FIRST_HALF), 4);
    ck_assert_uint_eq(transactions(d, 0x1004, 4, 4, FIRST_HALF), 1);
    ck_assert_uint_eq(transactions(d, 0x1044, 4, 4, FIRST_HALF), 2);
    ck_assert_uint_eq(units(d, 0x1044, 4, 4, FIRST_HALF), 2 + 1);
    ck_assert_uint_eq(units(d, 0x1000, 0, 4, ALL), 2); // one word: a segment of 32 bytes per half
    ck_assert_uint_eq(units(d, 0x1000, 1, 1, ALL), 2);
    ck_assert_uint_eq(units(d, 0x1000, 2, 2, ALL), 2);
    ck_assert_uint_eq(units(d, 0x1000, 8, 4, ALL), 8); // every second word: whole segments
    ck_assert_uint_eq(units(d, 0x1000, 128, 4, ALL), 32);
    ck_assert_uint_eq(transactions(d, 0x1000, 16, 16, ALL), 4);
    ck_assert_uint_eq(units(d, 0x1000, 16, 16, ALL), 16);
}
END_TEST

START_TEST(others_go_by_sectors) {
    uint64_t at[32];
    for (int64_t step = -40; step < 40; step += 4) {
        rows(at, 0x2000, step);
        ck_assert_uint_eq(sim_legacy_units(sim_device_find("k40"), at, ALL, 4),
                          sim_access_sectors(at, ALL, 4));
    }
    ck_assert_uint_eq(sim_legacy_transactions(sim_device_find("k40"), at, ALL, 4), 0);
}
END_TEST

static sim_bank_use banks(const sim_device *d, int64_t step, uint32_t bytes, uint32_t lanes) {
    uint64_t at[32];
    rows(at, step < 0 ? 4096 : 0, step);
    return sim_legacy_banks(d, at, lanes, bytes);
}

// "There will be no bank conflict only if s is odd": each half-warp one pass, else gcd(16, s).
START_TEST(sixteen_banks) {
    const sim_device *d = sim_device_find("gtx8800");
    for (int64_t words = 1; words <= 33; words++) {
        uint32_t shared = (uint32_t)(words & -words);
        if (shared > 16) shared = 16;
        ck_assert_uint_eq(banks(d, 4 * words, 4, ALL).wavefronts, 2 * shared);
        ck_assert_uint_eq(banks(d, 4 * words, 4, ALL).conflict_free, 2);
        ck_assert_uint_eq(banks(d, 4 * words, 4, FIRST_HALF).wavefronts, shared);
    }
    ck_assert_uint_eq(banks(d, 0, 4, ALL).wavefronts, 2); // the broadcast
    ck_assert_uint_eq(banks(d, 1, 1, ALL).wavefronts,
                      2 * 4); // char[]: 4 lanes a word, one broadcast
    ck_assert_uint_eq(banks(d, 8, 8, ALL).wavefronts, 2 * 4); // doubles: two requests of stride 2
    ck_assert_uint_eq(banks(d, 8, 8, ALL).conflict_free, 2 * 2);
    ck_assert_uint_eq(banks(d, 12, 4, ALL).wavefronts, 2); // a struct of three floats: odd stride
}
END_TEST

// No conflict between the halves: both read words that lie in the same banks.
START_TEST(halves_do_not_meet) {
    uint64_t at[32];
    for (int lane = 0; lane < 32; lane++) at[lane] = (uint64_t)(lane % 16) * 4 + (lane / 16) * 64;
    ck_assert_uint_eq(sim_legacy_banks(sim_device_find("gtx8800"), at, ALL, 4).wavefronts, 2);
    // One word for many lanes, other banks beside it: one pass. Two words for many: two.
    for (int lane = 0; lane < 32; lane++) at[lane] = lane % 16 < 8 ? 0 : (uint64_t)(lane % 16) * 4;
    ck_assert_uint_eq(sim_legacy_banks(sim_device_find("gtx8800"), at, FIRST_HALF, 4).wavefronts,
                      1);
    for (int lane = 0; lane < 16; lane++) at[lane] = lane < 8 ? 0 : 4;
    ck_assert_uint_eq(sim_legacy_banks(sim_device_find("gtx8800"), at, FIRST_HALF, 4).wavefronts,
                      2);
}
END_TEST

// Compute capability 3.x in its 32-bit mode: two words of a bank 32 words apart in one aligned row
// of 64 words come together.
START_TEST(banks_of_eight_bytes) {
    const sim_device *d = sim_device_find("k40");
    ck_assert_uint_eq(banks(d, 4, 4, ALL).wavefronts, 1);
    ck_assert_uint_eq(banks(d, 8, 4, ALL).wavefronts, 1);  // stride 2: no conflict, as 2.x has
    ck_assert_uint_eq(banks(d, 12, 4, ALL).wavefronts, 1); // stride 3
    ck_assert_uint_eq(banks(d, 16, 4, ALL).wavefronts, 2);
    ck_assert_uint_eq(banks(d, 128, 4, ALL).wavefronts, 16);
    ck_assert_uint_eq(banks(d, 256, 4, ALL).wavefronts, 32);
    ck_assert_uint_eq(banks(d, 8, 8, ALL).wavefronts, 1); // doubles in a row: one pass
    ck_assert_uint_eq(banks(d, 8, 8, ALL).conflict_free, 1);
    ck_assert_uint_eq(banks(d, 16, 16, ALL).wavefronts, 2);
    ck_assert_uint_eq(banks(d, 0, 4, ALL).wavefronts, 1);
    const sim_device *wide;
    ck_assert_int_eq(sim_device_from_text("like=k40;bank_map_bytes=8", &wide, NULL), SIM_OK);
    ck_assert_uint_eq(banks(wide, 4, 4, ALL).wavefronts, 1); // 64-bit mode
    ck_assert_uint_eq(banks(wide, 8, 4, ALL).wavefronts, 1);
    ck_assert_uint_eq(banks(wide, 8, 8, ALL).wavefronts, 1);
    ck_assert_uint_eq(banks(wide, 16, 8, ALL).wavefronts, 2);
}
END_TEST

// Which wavefront serves which lane: as many as are counted; what one serves in a bank is one word
// or, with banks of 8 bytes, words of one row of 256 bytes.
static void check_rounds(const sim_device *d, const uint64_t at[32], uint32_t lanes,
                         uint32_t bytes) {
    enum { WAVES = 256 };
    sim_bank_round rounds[32][SIM_ACCESS_WORDS];
    static uint64_t served[WAVES][32];
    static bool used[WAVES];
    memset(served, 0xFF, sizeof served);
    memset(used, 0, sizeof used);
    uint32_t count = sim_legacy_bank_rounds(d, at, lanes, bytes, rounds);
    sim_bank_use use = sim_legacy_banks(d, at, lanes, bytes);
    uint32_t words = bytes < 4 ? 1 : bytes / 4, first = 0;
    ck_assert_uint_eq(count, use.wavefronts);
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t k = 0; lanes >> lane & 1 && k < words; k++) {
            uint64_t word = at[lane] / 4 + k, what = d->bank_bytes == 8 ? word / 64 : word;
            uint64_t *bank = &served[rounds[lane][k].wavefront][word % d->shared_banks];
            ck_assert_uint_lt(rounds[lane][k].wavefront, count);
            ck_assert(*bank == UINT64_MAX || *bank == what);
            *bank = what;
            first += !used[rounds[lane][k].wavefront] && rounds[lane][k].rank == 0;
            used[rounds[lane][k].wavefront] = true;
        }
    for (uint32_t w = 0; w < count; w++) ck_assert(used[w]);
    if (sim_device_is_older(d)) ck_assert_uint_eq(first, use.conflict_free); // wait for nothing
}

START_TEST(rounds_are_those_that_are_counted) {
    static const char *const ids[] = {"gtx8800", "k40", "h100"};
    static const uint32_t widths[] = {1, 2, 4, 8, 16};
    uint32_t state = 12345;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        for (int t = 0; t < 500; t++) {
            const sim_device *d = sim_device_find(ids[i]);
            uint32_t bytes = widths[t % 5], span = t % 3 == 0 ? 64 : 4096;
            uint64_t at[32];
            for (int lane = 0; lane < 32; lane++) {
                state = state * 1664525 + 1013904223;
                at[lane] = state / 65536 % span / bytes * bytes;
            }
            state = state * 1664525 + 1013904223;
            check_rounds(d, at, t % 2 ? ALL : state | 1, bytes);
        }
    uint64_t column[32];
    sim_bank_round rounds[32][SIM_ACCESS_WORDS];
    rows(column, 0, 128);
    sim_legacy_bank_rounds(sim_device_find("gtx8800"), column, ALL, 4, rounds);
    for (uint32_t lane = 0; lane < 32; lane++) {
        ck_assert_uint_eq(rounds[lane][0].wavefront, lane);
        ck_assert_uint_eq(rounds[lane][0].rank, lane % 16);
    }
    sim_legacy_bank_rounds(sim_device_find("k40"), column, ALL, 4, rounds);
    for (uint32_t lane = 0; lane < 32; lane++)
        ck_assert_uint_eq(rounds[lane][0].wavefront, lane / 2);
}
END_TEST

KL_TEST_MAIN("older", half_warps_in_sequence, two_lanes_exchanged, segments_of_half_warps,
             others_go_by_sectors, sixteen_banks, halves_do_not_meet, banks_of_eight_bytes,
             rounds_are_those_that_are_counted)
