// SPDX-License-Identifier: MIT
// Protects the counting of hot sectors: an address that all share, one that is hot for a while,
// lanes that share a word in any order, words of one sector, and that it does not matter which
// worker counted.
#include <check.h>

#include "record/contended_atomics.h"
#include "suite.h"

enum { LANES = 32, ALL = -1 };

static uint64_t addresses[LANES];

// All 32 lanes `apart` bytes from one another, `sharing` of them on each word.
static void place(uint64_t first, uint32_t apart, uint32_t sharing) {
    for (uint32_t i = 0; i < LANES; i++) addresses[i] = first + i / sharing * apart;
}

static sim_contention found_in(sim_contended_atomics *hot) {
    sim_contention found = sim_contended_atomics_measure(hot);
    sim_contended_atomics_free(hot);
    return found;
}

START_TEST(one_address_takes_all) {
    sim_contended_atomics hot = {0};
    sim_contended_atomics_begin(&hot, 8, 8);
    place(0x1000, 0, 1);
    for (uint32_t b = 0; b < 8; b++)
        sim_contended_atomics_note(&hot, b, addresses, (uint32_t)ALL, false);
    sim_contention found = found_in(&hot);
    ck_assert_double_eq(found.passes, 1);
    ck_assert_double_eq(found.sector, 1);
    ck_assert_double_eq(found.piece, 1);
    ck_assert_double_eq(found.repeats, LANES - 1);
}
END_TEST

// Each block goes to a word of its own: alone on the card, or all of them together.
START_TEST(what_is_hot_for_a_while_counts_while_it_is) {
    for (uint64_t together = 1; together <= 16; together *= 16) {
        sim_contended_atomics hot = {0};
        sim_contended_atomics_begin(&hot, 16, together);
        for (uint32_t b = 0; b < 16; b++) {
            place(0x10000 * (uint64_t)(b + 1), 0, 1);
            sim_contended_atomics_note(&hot, b, addresses, (uint32_t)ALL, false);
        }
        ck_assert_double_eq_tol(found_in(&hot).sector, 1.0 / (double)together, 1e-9);
    }
}
END_TEST

START_TEST(lanes_on_a_word_are_repeats) {
    static const uint32_t sharing[] = {1, 2, 4, 8}, repeats[] = {0, 1, 3, 7};
    for (uint32_t i = 0; i < 4; i++) {
        sim_contended_atomics hot = {0};
        sim_contended_atomics_begin(&hot, 1, 1);
        place(0x4000, 4, sharing[i]);
        sim_contended_atomics_note(&hot, 0, addresses, (uint32_t)ALL, false);
        ck_assert_double_eq(found_in(&hot).repeats, repeats[i]);
    }
}
END_TEST

// Words of one sector go together when one instruction has them; when different ones have them, in
// turn.
START_TEST(a_sector_is_passed_by_one_instruction_at_a_time) {
    sim_contended_atomics hot = {0};
    sim_contended_atomics_begin(&hot, 8, 8);
    for (uint32_t b = 0; b < 8; b++) {
        place(0x4000 + 4 * b, 0, 1);
        sim_contended_atomics_note(&hot, b, addresses, (uint32_t)ALL, false);
    }
    sim_contention apart = found_in(&hot);
    ck_assert_double_eq(apart.sector, 1);
    ck_assert_double_eq(apart.passes, 1);
    sim_contended_atomics_begin(&hot, 1, 1);
    place(0x4000, 4, 4); // eight words
    sim_contended_atomics_note(&hot, 0, addresses, (uint32_t)ALL, false);
    ck_assert_double_eq(found_in(&hot).passes, 4.0 / LANES);
}
END_TEST

// As in a histogram: lanes 0, 4, 8, .. on one word, and so on.
START_TEST(lanes_need_not_be_neighbours) {
    sim_contended_atomics hot = {0};
    sim_contended_atomics_begin(&hot, 1, 1);
    for (uint32_t i = 0; i < LANES; i++) addresses[i] = 0x4000 + i % 4 * 4;
    sim_contended_atomics_note(&hot, 0, addresses, (uint32_t)ALL, false);
    ck_assert_uint_eq(hot.sectors, 1);
    sim_contention found = found_in(&hot);
    ck_assert_double_eq(found.passes, 8.0 / LANES);
    ck_assert_double_eq(found.repeats, 7);
}
END_TEST

// Two sectors of a line are passed at the same time: the one with more lanes on a word counts.
START_TEST(repeats_are_those_of_a_line) {
    sim_contended_atomics hot = {0};
    sim_contended_atomics_begin(&hot, 1, 1);
    for (uint32_t i = 0; i < LANES; i++) addresses[i] = i < 12 ? 0x4000 : 0x4020;
    sim_contended_atomics_note(&hot, 0, addresses, (uint32_t)ALL, false);
    ck_assert_uint_eq(hot.lines, 1);
    ck_assert_uint_eq(hot.sectors, 2);
    ck_assert_double_eq(found_in(&hot).repeats, 19);
}
END_TEST

START_TEST(an_operation_for_all_lanes_is_one) {
    sim_contended_atomics hot = {0};
    sim_contended_atomics_begin(&hot, 1, 1);
    place(0x4000, 0, 1);
    sim_contended_atomics_note(&hot, 0, addresses, (uint32_t)ALL, true);
    ck_assert_uint_eq(hot.lanes, 1);
    ck_assert_uint_eq(hot.sectors, 1);
    ck_assert_double_eq(found_in(&hot).repeats, 0);
}
END_TEST

START_TEST(workers_add_up_and_a_launch_forgets_the_last) {
    sim_contended_atomics one = {0}, first = {0}, second = {0};
    place(0x4000, 4, 4);
    sim_contended_atomics_begin(&one, 64, 8);
    sim_contended_atomics_begin(&first, 64, 8);
    sim_contended_atomics_begin(&second, 64, 8);
    for (uint32_t b = 0; b < 64; b++) {
        sim_contended_atomics_note(&one, b, addresses, (uint32_t)ALL, false);
        sim_contended_atomics_note(b % 3 ? &first : &second, b, addresses, (uint32_t)ALL, false);
    }
    sim_contended_atomics_add(&first, &second);
    sim_contention alone = sim_contended_atomics_measure(&one),
                   added = sim_contended_atomics_measure(&first);
    ck_assert_double_eq(alone.passes, added.passes);
    ck_assert_double_eq(alone.sector, added.sector);
    ck_assert_double_eq(alone.piece, added.piece);
    ck_assert_double_eq(alone.repeats, added.repeats);
    sim_contended_atomics_begin(&one, 64, 8);
    ck_assert_double_eq(sim_contended_atomics_measure(&one).sector, 0);
    sim_contended_atomics_free(&one);
    sim_contended_atomics_free(&first);
    sim_contended_atomics_free(&second);
}
END_TEST

KL_TEST_MAIN("hot addresses", one_address_takes_all, what_is_hot_for_a_while_counts_while_it_is,
             lanes_on_a_word_are_repeats, a_sector_is_passed_by_one_instruction_at_a_time,
             lanes_need_not_be_neighbours, repeats_are_those_of_a_line,
             an_operation_for_all_lanes_is_one, workers_add_up_and_a_launch_forgets_the_last)
