// SPDX-License-Identifier: MIT
// The counting rules: textbook patterns with their known costs, and the executor's quick forms
// against the plain ones on random regular and irregular addresses. Compiled as part of a host
// variant because exec_count.h is.
#define SIM_EXEC_VARIANT base
#include "../exec_count.h"

#include <check.h>
#include <stdlib.h>

#include "exec_support.h"
#include "suite.h"

enum { FULL_TRIES = 40000 };

static void stride(uint64_t addresses[32], uint64_t base, int64_t step) {
    for (int lane = 0; lane < 32; lane++) addresses[lane] = base + (uint64_t)(step * lane);
}

static uint32_t sectors_of_stride(uint64_t base, int64_t step, uint32_t bytes) {
    uint64_t addresses[32];
    stride(addresses, base, step);
    return sim_access_sectors(addresses, SIM_ALL_LANES, bytes);
}

START_TEST(sectors) {
    ck_assert_uint_eq(sectors_of_stride(0x1000, 4, 4), 4);   // coalesced
    ck_assert_uint_eq(sectors_of_stride(0x1004, 4, 4), 5);   // shifted by one element
    ck_assert_uint_eq(sectors_of_stride(0x1000, 8, 4), 8);   // every second element
    ck_assert_uint_eq(sectors_of_stride(0x1000, 32, 4), 32); // a sector each
    ck_assert_uint_eq(sectors_of_stride(0x1000, 4096, 4), 32);
    ck_assert_uint_eq(sectors_of_stride(0x1000, 0, 4), 1); // broadcast
    ck_assert_uint_eq(sectors_of_stride(0x1000, 1, 1), 1);
    ck_assert_uint_eq(sectors_of_stride(0x1000, 16, 16), 16); // float4
    ck_assert_uint_eq(sectors_of_stride(0x2000, -4, 4), 5);   // backwards from a sector's start
    uint64_t addresses[32];
    stride(addresses, 0x1000, 4);
    ck_assert_uint_eq(sim_access_sectors(addresses, 0x000000FF, 4), 1);
    ck_assert_uint_eq(sim_access_sectors(addresses, 0x80000001, 4), 2);
}
END_TEST

START_TEST(turns_of_constant_memory) {
    uint64_t addresses[32];
    stride(addresses, 0x1000, 4);
    ck_assert_uint_eq(sim_access_turns(addresses, SIM_ALL_LANES), 32);
    ck_assert_uint_eq(sim_access_turns(addresses, 0x80000001), 2);
    stride(addresses, 0x1000, 0);
    ck_assert_uint_eq(sim_access_turns(addresses, SIM_ALL_LANES), 1);
    stride(addresses, 0x1000, 1); // four bytes of a word together
    ck_assert_uint_eq(sim_access_turns(addresses, SIM_ALL_LANES), 8);
    for (int lane = 0; lane < 32; lane++) addresses[lane] = 0x1000 + 4 * (uint64_t)(lane % 3);
    ck_assert_uint_eq(sim_access_turns(addresses, SIM_ALL_LANES), 3);
}
END_TEST

// The patterns of lanes on words, and what an H100 counted for each: sectors of a reduction on global
// memory and passes of one on shared memory.
START_TEST(atomics_take_turns) {
    static const struct {
        uint32_t sectors, passes;
    } measured[] = {{4, 2}, {4, 4}, {32, 32}, {8, 5}, {15, 12}, {16, 16}, {7, 7}, {4, 1}};
    for (int pattern = 0; pattern < 8; pattern++) {
        uint64_t addresses[32];
        for (uint32_t l = 0; l < 32; l++) {
            uint32_t words[] = {l / 2,
                                l % 8,
                                l % 2 * 32,
                                l < 5 ? 0 : l,
                                l < 5    ? 0
                                : l < 12 ? 32
                                         : l + 32,
                                l / 16,
                                l < 20 ? l % 8 : l % 3,
                                l};
            addresses[l] = 0x4000 + 4 * words[pattern];
        }
        ck_assert_uint_eq(sim_access_atomic_sectors(addresses, SIM_ALL_LANES, 4),
                          measured[pattern].sectors);
        ck_assert_uint_eq(sim_access_atomic_passes(addresses, SIM_ALL_LANES, 4),
                          measured[pattern].passes);
    }
    uint64_t wide[32];
    stride(wide, 0x4000, 8);
    ck_assert_uint_eq(sim_access_atomic_passes(wide, SIM_ALL_LANES, 8), 2);
    ck_assert_uint_eq(sim_access_atomic_passes(wide, 0xFFFF, 8), 1);
}
END_TEST

static void expect_banks(int64_t step, uint32_t bytes, uint32_t wavefronts,
                         uint32_t conflict_free) {
    uint64_t offsets[32];
    stride(offsets, 0, step);
    sim_bank_use use = sim_access_banks(offsets, SIM_ALL_LANES, bytes);
    ck_assert_msg(use.wavefronts == wavefronts && use.conflict_free == conflict_free,
                  "stride %d of %u bytes: %u wavefronts (%u)", (int)step, bytes, use.wavefronts,
                  use.conflict_free);
}

START_TEST(banks) {
    expect_banks(0, 4, 1, 1);                       // broadcast
    for (int64_t words = 1; words <= 33; words++) { // odd strides are free, even ones share banks
        uint32_t degree = 1;
        while (words % (2 * degree) == 0 && degree < 32) degree *= 2;
        expect_banks(4 * words, 4, degree, 1);
    }
    expect_banks(1, 1, 1, 1);
    expect_banks(2, 2, 1, 1);
    expect_banks(8, 8, 2, 2);   // 64-bit: a pass for each half-warp
    expect_banks(16, 16, 4, 4); // 128-bit: one for each quarter
    expect_banks(16, 8, 4, 2);
    expect_banks(0, 8, 1, 1); // halves that agree go together
    expect_banks(0, 16, 2, 2);
    uint64_t offsets[32];
    for (int lane = 0; lane < 32; lane++)
        offsets[lane] = 8 * (uint64_t)(lane / 2); // lane i agrees with i ^ 1
    ck_assert_uint_eq(sim_access_banks(offsets, SIM_ALL_LANES, 8).wavefronts, 1);
    for (int lane = 0; lane < 32; lane++)
        offsets[lane] = 8 * (uint64_t)(lane / 4 * 2 + lane % 2); // with i ^ 2
    ck_assert_uint_eq(sim_access_banks(offsets, SIM_ALL_LANES, 8).wavefronts, 1);
    stride(offsets, 0, 16);
    ck_assert_uint_eq(sim_access_banks(offsets, 0x0000FFFF, 16).wavefronts,
                      2); // quarters without lanes are free
    ck_assert_uint_eq(sim_access_banks(offsets, 0, 16).wavefronts, 0);
}
END_TEST

// The kinds of address lists that kernels make, and arbitrary ones, all multiples of `bytes`.
static void random_addresses(uint64_t *state, uint32_t bytes, uint64_t base, uint64_t out[32]) {
    uint64_t kind = exec_random(state) % 6;
    int64_t step = (int64_t)(exec_random(state) % 129) - 64;
    uint64_t a = exec_random(state) % 512, b = exec_random(state) % 512;
    uint64_t reach = UINT64_C(1) << (exec_random(state) % 16 + 1);
    for (int lane = 0; lane < 32; lane++) {
        int64_t unit;
        switch (kind) {
        case 0: unit = (int64_t)a; break;
        case 1: unit = (int64_t)a + lane; break;
        case 2: unit = (int64_t)a + step * lane; break;
        case 3: unit = (int64_t)(lane < 16 ? a : b) + lane % 16 * (step % 3); break;
        case 4: unit = (int64_t)(lane < 16 ? a : b) + lane % 16 * step; break;
        default: unit = (int64_t)(exec_random(state) % reach); break;
        }
        out[lane] = base + (uint64_t)((unit + 8192) * (int64_t)bytes);
    }
}

// Runs find_addresses on registers that hold `list`.
static void classify(const uint64_t list[32], uint32_t lanes, uint32_t bytes, bool narrow,
                     lane_addresses *out) {
    _Alignas(64) static uint8_t registers[256];
    sim_warp warp = {.registers = registers};
    sim_instr instr = {.src = {0, 0, 0, 0}};
    for (int lane = 0; lane < 32; lane++) {
        if (narrow)
            ((uint32_t *)registers)[lane] = (uint32_t)list[lane];
        else
            ((uint64_t *)registers)[lane] = list[lane];
    }
    find_addresses(&warp, &instr, lanes, narrow, bytes, out);
}

static uint32_t random_lanes(uint64_t *state) {
    uint32_t lanes = (uint32_t)exec_random(state);
    switch (exec_random(state) % 3) {
    case 0: return SIM_ALL_LANES;
    case 1: return lanes | 1;
    default: return 0xFFFFFFFFu >> (lanes % 32);
    }
}

START_TEST(addresses_come_back) {
    uint64_t state = 3, list[32];
    for (int try = 0; try < FULL_TRIES; try++) {
        bool narrow = try % 2;
        uint32_t bytes = 1u << exec_random(&state) % 5, lanes = random_lanes(&state);
        lane_addresses found;
        random_addresses(&state, bytes, narrow ? 0 : SIM_GLOBAL_BASE, list);
        classify(list, lanes, bytes, narrow, &found);
        uint64_t low = UINT64_MAX, high = 0;
        for (uint32_t lane = 0; lane < 32; lane++) {
            if (!(lanes >> lane & 1)) continue;
            ck_assert_uint_eq(address_of(&found, lane), list[lane]);
            low = list[lane] < low ? list[lane] : low;
            high = list[lane] > high ? list[lane] : high;
        }
        ck_assert_uint_eq(found.low, low);
        ck_assert_uint_eq(found.high, high);
    }
}
END_TEST

START_TEST(quick_sectors_equal_plain) {
    uint64_t state = 5, list[32];
    for (int try = 0; try < FULL_TRIES; try++) {
        uint32_t bytes = 1u << exec_random(&state) % 5, lanes = random_lanes(&state);
        lane_addresses found;
        random_addresses(&state, bytes, SIM_GLOBAL_BASE, list);
        classify(list, lanes, bytes, false, &found);
        ck_assert_uint_eq(count_sectors(&found), sim_access_sectors(list, lanes, bytes));
    }
}
END_TEST

START_TEST(quick_banks_equal_plain) {
    uint64_t state = 7, list[32];
    for (int try = 0; try < FULL_TRIES; try++) {
        uint32_t bytes = 1u << exec_random(&state) % 5, lanes = random_lanes(&state);
        lane_addresses found;
        random_addresses(&state, bytes, 0, list);
        classify(list, lanes, bytes, true, &found);
        sim_bank_use quick = count_banks(&found, bytes);
        sim_bank_use plain = sim_access_banks(list, lanes, bytes);
        ck_assert_msg(
            quick.wavefronts == plain.wavefronts && quick.conflict_free == plain.conflict_free,
            "pattern %d, %u bytes, lanes %08x: %u (%u) against %u (%u)", found.pattern, bytes,
            lanes, quick.wavefronts, quick.conflict_free, plain.wavefronts, plain.conflict_free);
    }
}
END_TEST

static uint64_t bits_in(_Atomic uint64_t *map, uint64_t words) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < words; i++) count += (uint64_t)__builtin_popcountll(map[i]);
    return count;
}

START_TEST(footprints_mark_what_was_touched) {
    uint64_t state = 9, list[32];
    sim_footprint footprint = {.pages = 0};
    ck_assert_int_eq(sim_footprint_prepare(&footprint, SIM_GLOBAL_BASE + (64 << 20), NULL), SIM_OK);
    for (int try = 0; try < 4000; try++) {
        uint32_t bytes = 1u << exec_random(&state) % 5, lanes = random_lanes(&state);
        lane_addresses found;
        random_addresses(&state, bytes, SIM_GLOBAL_BASE, list);
        classify(list, lanes, bytes, false, &found);
        mark_sectors(&footprint, footprint.read, &found);
        uint64_t marked = bits_in(footprint.read, SIM_FOOTPRINT_PAGE_WORDS * 4), read, written;
        ck_assert_uint_eq(marked, sim_access_sectors(list, lanes, bytes));
        sim_footprint_take(&footprint, &read, &written);
        ck_assert_uint_eq(read, marked);
        ck_assert_uint_eq(written, 0);
        ck_assert_uint_eq(bits_in(footprint.read, SIM_FOOTPRINT_PAGE_WORDS * 4), 0);
    }
    sim_footprint_free(&footprint);
}
END_TEST

// A wild stride must not pass for a regular warp whose ends happen to lie in bounds.
START_TEST(strides_that_wrap_are_irregular) {
    uint64_t list[32];
    const uint64_t inverse_of_15 = UINT64_C(0xEEEEEEEEEEEEEEEF); // 15 times this is 1
    for (int lane = 0; lane < 32; lane++)
        list[lane] = SIM_GLOBAL_BASE + (uint64_t)(lane % 16) * (inverse_of_15 * 4);
    lane_addresses found;
    classify(list, SIM_ALL_LANES, 4, false, &found);
    ck_assert_int_eq(found.pattern, PATTERN_ANY);
    ck_assert(!lies_inside(&found, SIM_GLOBAL_BASE, SIM_GLOBAL_BASE + 4096, 4));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("access rules");
    TCase *tests = tcase_create("rules");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, sectors);
    tcase_add_test(tests, turns_of_constant_memory);
    tcase_add_test(tests, atomics_take_turns);
    tcase_add_test(tests, banks);
    tcase_add_test(tests, addresses_come_back);
    tcase_add_test(tests, quick_sectors_equal_plain);
    tcase_add_test(tests, quick_banks_equal_plain);
    tcase_add_test(tests, footprints_mark_what_was_touched);
    tcase_add_test(tests, strides_that_wrap_are_irregular);
    suite_add_tcase(suite, tests);
    return kl_suite_run(suite);
}
