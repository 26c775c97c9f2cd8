// SPDX-License-Identifier: MIT
// Warp-level operations end to end: shuffles at full and partial masks, votes, matches, reductions,
// lanes that meet from different addresses, lanes that have left, lanes that never come.
#include <check.h>
#include <string.h>

#include "support/run.h"
#include "suite.h"

static const char *const files[] = {"warps", "warps_debug"};
enum { OUT = 512 };

static void run_out(const char *file, const char *kernel, uint32_t threads, int out[OUT]) {
    exec_rig *rig = exec_open_file(file, 1);
    uint64_t d_out = exec_alloc(rig, OUT * sizeof(int), NULL);
    EXEC_RUN(rig, kernel, EXEC_DIM(1), EXEC_DIM(threads), 0, &d_out, NULL);
    exec_read(rig, d_out, out, OUT * sizeof(int));
    exec_close(rig);
}

START_TEST(shuffles) {
    int out[OUT];
    run_out(files[_i], "shuffles", 32, out);
    for (int t = 0; t < 32; t++) {
        ck_assert_int_eq(out[t], 100 + (t + 3 < 32 ? t + 3 : t));
        ck_assert_int_eq(out[t + 32], 100 + (t >= 5 ? t - 5 : t));
        ck_assert_int_eq(out[t + 64], 100 + (t ^ 9));
        ck_assert_int_eq(out[t + 96], 100 + t * 7 % 32);
        ck_assert_int_eq(out[t + 128], 100 + (t % 8 + 3 < 8 ? t + 3 : t));
        ck_assert_int_eq(out[t + 160], 100 + (t % 16 >= 3 ? t - 3 : t));
        int partner =
            t ^ 9; // beyond a segment of 8 only downwards: the lane keeps its own value above
        ck_assert_int_eq(out[t + 192], 100 + (partner / 8 <= t / 8 ? partner : t));
        ck_assert_int_eq(out[t + 224], 100 + t / 8 * 8 + 13 % 8);
    }
}
END_TEST

START_TEST(partial_masks) {
    int out[OUT];
    run_out(files[_i], "partial_masks", 32, out);
    for (int t = 0; t < 11; t++) ck_assert_int_eq(out[t], t + 1);
    ck_assert_int_eq(out[11], (int)0xFFC0DEAD); // lane 12 is not there
    for (int t = 12; t < 20; t++) ck_assert_int_eq(out[t], 0x000AA000);
    for (int t = 20; t < 32; t++) ck_assert_int_eq(out[t], 50);
}
END_TEST

START_TEST(two_masks_in_one_instruction) {
    int out[OUT];
    run_out(files[_i], "two_masks", 32, out);
    for (int t = 0; t < 32; t++) ck_assert_int_eq(out[t], (t ^ 5) + (t < 16 ? 6 : 5) * 100);
}
END_TEST

START_TEST(exchange_across_a_branch) {
    int out[OUT];
    run_out(files[_i], "across_branches", 32, out);
    for (int t = 0; t < 32; t++)
        ck_assert_int_eq(out[t], t % 2 ? (t - 1) * 10 + 1 : (t + 1) * 10 + 1000);
}
END_TEST

START_TEST(votes_matches_reductions) {
    int out[OUT];
    run_out(files[_i], "votes", 32, out);
    int greatest = 0;
    for (int t = 0; t < 32; t++) greatest = (t ^ 21) > greatest ? t ^ 21 : greatest;
    for (int t = 0; t < 32; t++) {
        uint32_t fives = 0, thirds = 0;
        for (int k = 0; k < 32; k++) {
            if (k / 5 == t / 5) fives |= 1u << k;
            if (k % 3 == t % 3) thirds |= 1u << k;
        }
        ck_assert_int_eq(out[t], 1);
        ck_assert_int_eq(out[t + 32], 1);
        ck_assert_uint_eq((uint32_t)out[t + 64], 0x49249249);
        ck_assert_uint_eq((uint32_t)out[t + 96], fives);
        ck_assert_int_eq(out[t + 128], 0); // all lanes, plus the predicate 1
        ck_assert_int_eq(out[t + 160], 0);
        ck_assert_int_eq(out[t + 192], 31 * 32 / 2);
        ck_assert_int_eq(out[t + 224], greatest);
        ck_assert_uint_eq((uint32_t)out[t + 256], t % 4 == 1 ? 0x22222222 : 0);
        ck_assert_uint_eq((uint32_t)out[t + 288], thirds);
    }
}
END_TEST

START_TEST(cooperative_groups) {
    int out[OUT];
    run_out(files[_i], "tiles", 64, out);
    for (int t = 0; t < 64; t++) {
        int sum = 0;
        for (int k = t; k < t + 8; k++) sum += k;
        ck_assert_int_eq(out[t], t % 8 ? -1 : sum);
        int before = 0, total = 0; // threads of the warp that are multiples of 3
        for (int k = t / 32 * 32; k < t / 32 * 32 + 32; k++) {
            total += k % 3 == 0;
            before += k % 3 == 0 && k < t;
        }
        ck_assert_int_eq(out[64 + t], t % 3 ? 32 : total * 1000 + before);
    }
}
END_TEST

START_TEST(lanes_that_left_are_not_waited_for) {
    int out[OUT];
    run_out(files[_i], "after_exit", 32, out);
    for (int t = 0; t < 19; t++) ck_assert_int_eq(out[t], t + 1);
}
END_TEST

START_TEST(a_missing_lane_is_explained) {
    exec_rig *rig = exec_open_file(files[_i], 1);
    uint64_t d_out = exec_alloc(rig, OUT * sizeof(int), NULL);
    ck_assert_int_eq(exec_launch(rig, "missing_lane", EXEC_DIM(1), EXEC_DIM(32), 0, &d_out, NULL),
                     SIM_DEADLOCK);
    const char *text = rig->result.fault.text;
    ck_assert_msg(strstr(text, "0xffffffdf") && strstr(text, "lanes 0x00000020 are missing") &&
                      strstr(text, "barrier 0, 1 of 32") && strstr(text, "warps.cu:"),
                  "%s", text);
    exec_close(rig);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("warp-level operations");
    TCase *tests = tcase_create("kernels");
    tcase_add_loop_test(tests, shuffles, 0, 2);
    tcase_add_loop_test(tests, partial_masks, 0, 2);
    tcase_add_loop_test(tests, two_masks_in_one_instruction, 0, 2);
    tcase_add_loop_test(tests, exchange_across_a_branch, 0, 2);
    tcase_add_loop_test(tests, votes_matches_reductions, 0, 2);
    tcase_add_loop_test(tests, cooperative_groups, 0, 2);
    tcase_add_loop_test(tests, lanes_that_left_are_not_waited_for, 0, 2);
    tcase_add_loop_test(tests, a_missing_lane_is_explained, 0, 2);
    suite_add_tcase(suite, tests);
    return kl_suite_run(suite);
}
