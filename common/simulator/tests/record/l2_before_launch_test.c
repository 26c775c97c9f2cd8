// SPDX-License-Identifier: MIT
// Protects what the L2 is taken to hold when a launch begins: what earlier launches and fills
// touched, until as much as it keeps has gone through it, and never what the launch itself touches.
#include <check.h>

#include "base/base.h"
#include "record/l2_before_launch.h"
#include "suite.h"

enum { LINES = 16, WHOLE = 0xF, WINDOW = 1000, CAPACITY = 1500 }; // lines of a piece; sectors

static sim_l2_before recent;

static void set_up(void) {
    recent = (sim_l2_before){.window = WINDOW, .capacity = CAPACITY};
    ck_assert(sim_l2_before_prepare(&recent, SIM_GLOBAL_BASE + (1 << 20)));
}

static void tear_down(void) {
    sim_l2_before_free(&recent);
}

static void launch(uint64_t piece, uint64_t sectors) {
    sim_l2_before_begin(&recent);
    sim_l2_before_touch(&recent, piece, sectors);
}

START_TEST(a_launch_finds_what_the_one_before_touched) {
    launch(2, 0x35);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 2 * LINES), 0); // its own do not count
    launch(2, UINT64_MAX);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 2 * LINES), 0x5);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 2 * LINES + 1), 0x3);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 2 * LINES + 2), 0);
    launch(3, 1);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 2 * LINES + 2), WHOLE);
}
END_TEST

// What is touched again stays beside what is new.
START_TEST(sectors_of_one_piece_add_up) {
    launch(0, 0xF);
    launch(0, 0xF0);
    launch(1, 1);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 0), WHOLE);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 1), WHOLE);
}
END_TEST

START_TEST(others_drive_it_out) {
    launch(0, UINT64_MAX);
    sim_l2_before_pass(&recent, (WINDOW - 1) * 32);
    launch(1, 1);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 0), WHOLE);
    sim_l2_before_pass(&recent, WINDOW * 32);
    launch(1, 1);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 0), 0);
}
END_TEST

START_TEST(nothing_is_left_of_what_was_forgotten) {
    launch(0, UINT64_MAX);
    sim_l2_before_forget(&recent);
    launch(1, 1);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 0), 0);
    ck_assert_uint_eq(recent.before, 0);
}
END_TEST

// A fill of any place and length is in the L2, to the sector.
START_TEST(fills_are_there) {
    sim_l2_before_fill(&recent, SIM_GLOBAL_BASE + 64 * 32 + 3 * 32, 64 * 32);
    launch(9, 1);
    ck_assert_uint_eq(sim_l2_before_line(&recent, LINES), 0x8);
    ck_assert_uint_eq(sim_l2_before_line(&recent, LINES + 1), WHOLE);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 2 * LINES - 1), WHOLE);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 2 * LINES), 0x7);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 3 * LINES), 0);
}
END_TEST

// Launches take the place of others' stores in the L2, and fills that of launches.
START_TEST(the_share_of_launches_is_known) {
    launch(0, UINT64_MAX);
    launch(1, 3);
    ck_assert_uint_eq(recent.before, 64);
    sim_l2_before_fill(&recent, SIM_GLOBAL_BASE + 5 * 64 * 32, 10 * 32);
    sim_l2_before_fill(&recent, SIM_GLOBAL_BASE + 5 * 64 * 32,
                       10 * 32); // takes no more than before
    launch(0, UINT64_MAX);       // nor do launches
    launch(1, 1);
    ck_assert_uint_eq(recent.before, 64 + 2 - 10);
    for (uint64_t piece = 0; piece < 2 * CAPACITY / 64; piece++) launch(piece, UINT64_MAX);
    launch(1, 1);
    ck_assert_uint_eq(recent.before, CAPACITY);
    sim_l2_before_pass(&recent, 2 * CAPACITY * 32);
    launch(1, 1);
    ck_assert_uint_eq(recent.before, 0);
}
END_TEST

START_TEST(more_memory_keeps_what_is_known) {
    launch(5, UINT64_MAX);
    ck_assert(sim_l2_before_prepare(&recent, SIM_GLOBAL_BASE + (64 << 20)));
    launch(6, 1);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 5 * LINES), WHOLE);
    ck_assert_uint_eq(sim_l2_before_line(&recent, UINT32_MAX), 0); // beyond all
}
END_TEST

KL_TEST_MAIN_WITH("what the L2 still holds", set_up, tear_down,
                  a_launch_finds_what_the_one_before_touched, sectors_of_one_piece_add_up,
                  others_drive_it_out, nothing_is_left_of_what_was_forgotten, fills_are_there,
                  the_share_of_launches_is_known, more_memory_keeps_what_is_known)
