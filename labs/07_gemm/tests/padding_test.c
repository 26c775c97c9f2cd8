// SPDX-License-Identifier: MIT
// Lab 07's computing what padding costs (reference.h), and what its problem tells of it.
#include "reference.h"
#include "suite.h"

START_TEST(whole_tiles_need_no_padding) {
    static const int64_t whole[] = {128, 1024, 2048, 4096, 8192};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        double n = (double)whole[i];
        ck_assert_double_eq(gemm_padded_ops(whole[i], whole[i], whole[i]), 2.0 * n * n * n);
    }
}
END_TEST

START_TEST(each_side_is_rounded_up_to_its_tile) {
    ck_assert_double_eq(gemm_padded_ops(129, 128, 17), 2.0 * 160 * 128 * 24); // of 32 x 128
    ck_assert_double_eq(gemm_padded_ops(128, 65, 16), 2.0 * 128 * 128 * 16);
    ck_assert_double_eq(gemm_padded_ops(256, 33, 16),
                        2.0 * 256 * 64 * 16); // of 64 x 64, 128 x 64 or 256 x 32
    ck_assert_double_eq(gemm_padded_ops(33, 256, 16), 2.0 * 64 * 256 * 16);
    ck_assert_double_eq(gemm_padded_ops(300, 5000, 1000), 2.0 * 320 * 5056 * 1000);
    ck_assert_double_eq(gemm_padded_ops(4097, 4097, 4097), 2.0 * 4160 * 4160 * 4104);
    ck_assert_double_eq(gemm_padded_ops(17, 9, 2), 2.0 * 64 * 64 * 8);
}
END_TEST

START_TEST(slim_products_are_not_computed_in_tiles) {
    static const int64_t shapes[][3] = {{1, 900, 900}, {16, 900, 900}, {900, 1, 900}, {900, 4, 900},
                                        {900, 900, 1}, {900, 900, 0},  {0, 900, 900}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        ck_assert_double_eq(gemm_padded_ops(shapes[i][0], shapes[i][1], shapes[i][2]), 0.0);
}
END_TEST

// The share of every timed case of tiles lies in (0, 1], and is 1 where the sides are multiples.
START_TEST(the_problem_tells_the_share_of_its_cases) {
    int seen = 0;
    for (int i = 0; i < gemm_problem.suite_count; i++) {
        const kl_suite_entry *entry = &gemm_problem.suite[i];
        kl_error err = {0};
        kl_case c;
        ck_assert_int_eq(gemm_problem.describe(entry->family, entry->size, 4, &c, &err), KL_OK);
        if (c.padded_ops > 0.0) {
            bool square = c.ints[0] % 128 == 0 && c.ints[1] % 128 == 0 && c.ints[2] % 128 == 0;
            ck_assert(c.work_ops > 0.0 && c.work_ops <= c.padded_ops);
            ck_assert(!square || c.work_ops == c.padded_ops);
            ck_assert(c.ints[2] % GEMM_TILE_DEPTH == 0 || c.work_ops < c.padded_ops);
            seen++;
        }
    }
    ck_assert_int_gt(seen, 20);
}
END_TEST

KL_TEST_MAIN("gemm", whole_tiles_need_no_padding, each_side_is_rounded_up_to_its_tile,
             slim_products_are_not_computed_in_tiles, the_problem_tells_the_share_of_its_cases)
