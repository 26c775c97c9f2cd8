// SPDX-License-Identifier: MIT
// Protects which blocks are recorded: the first ones of an SM, and those that lie spread over the
// rest, one in the middle of each share.
#include <check.h>

#include "suite.h"
#include "warps/path.h"

enum { SMS = 10, FIRST = 4, ALL = 100 };

// Blocks of SM 0 that `paths` records.
static uint32_t recorded(sim_paths *paths, uint64_t numbers[]) {
    uint32_t count = 0;
    for (uint64_t block = 0; block < SMS * ALL; block++) {
        if (!sim_paths_begin(paths, block)) continue;
        ck_assert_uint_eq(block % SMS, 0);
        numbers[count++] = block / SMS;
    }
    return count;
}

START_TEST(the_first_blocks_are_recorded) {
    uint64_t numbers[ALL];
    sim_paths *paths = sim_paths_new(SMS, FIRST, 2, 16);
    ck_assert_uint_eq(recorded(paths, numbers), FIRST);
    ck_assert_uint_eq(numbers[FIRST - 1], FIRST - 1);
    sim_paths_free(paths);
}
END_TEST

// Eight of the 96 blocks behind the first ones: 6 into each dozen.
START_TEST(others_lie_spread_over_the_rest) {
    uint64_t numbers[ALL];
    sim_paths *paths = sim_paths_new(SMS, FIRST, 2, 16);
    ck_assert(sim_paths_spread(paths, FIRST, 8, ALL - FIRST));
    ck_assert_uint_eq(recorded(paths, numbers), FIRST + 8);
    for (uint32_t i = 0; i < 8; i++) {
        ck_assert_uint_eq(numbers[FIRST + i], FIRST + 12 * i + 6);
        ck_assert_uint_eq(sim_paths_spread_number(paths, i), numbers[FIRST + i]);
        ck_assert(sim_paths_spread_block(paths, i)->ran);
    }
    sim_paths_free(paths);
}
END_TEST

// A timeline wants more of the first blocks than a play: those that both want are there once.
START_TEST(a_block_may_be_a_first_one_too) {
    uint64_t numbers[ALL];
    sim_paths *paths = sim_paths_new(SMS, 50, 2, 16);
    ck_assert(sim_paths_spread(paths, FIRST, 8, ALL - FIRST));
    ck_assert_uint_eq(recorded(paths, numbers), 50 + 4);
    for (uint32_t i = 0; i < 8; i++) {
        const sim_block_path *block = sim_paths_spread_block(paths, i);
        uint64_t number = sim_paths_spread_number(paths, i);
        ck_assert(block->ran);
        ck_assert_int_eq(number < 50, block == &paths->blocks[number]);
    }
    sim_paths_free(paths);
}
END_TEST

START_TEST(a_path_is_only_made_longer) {
    sim_paths *paths = sim_paths_new(SMS, FIRST, 2, 16);
    sim_paths_lengthen(paths, 8);
    ck_assert_uint_eq(paths->most_runs, 16);
    sim_paths_lengthen(paths, 32);
    ck_assert_uint_eq(paths->most_runs, 32);
    sim_paths_free(paths);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("recorded blocks");
    TCase *tests = tcase_create("path");
    tcase_add_test(tests, the_first_blocks_are_recorded);
    tcase_add_test(tests, others_lie_spread_over_the_rest);
    tcase_add_test(tests, a_block_may_be_a_first_one_too);
    tcase_add_test(tests, a_path_is_only_made_longer);
    suite_add_tcase(suite, tests);
    return kl_suite_run(suite);
}
