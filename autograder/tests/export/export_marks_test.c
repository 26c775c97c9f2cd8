// SPDX-License-Identifier: MIT
// Marks: rounding is stated, parts add up to their sum, none exceeds what it may be.
#include "course/export/internal.h"

#include <math.h>
#include <string.h>

#include "suite.h"

START_TEST(points_are_rounded_half_up) {
    ck_assert_int_eq(ladder_hundredths_of(0), 0);
    ck_assert_int_eq(ladder_hundredths_of(0.004999), 0);
    ck_assert_int_eq(ladder_hundredths_of(0.005), 1);
    ck_assert_int_eq(ladder_hundredths_of(1.005), 101); // below 1.005 as a binary fraction
    ck_assert_int_eq(ladder_hundredths_of(2.675), 268);
    ck_assert_int_eq(ladder_hundredths_of(1.0 / 3), 33);
    ck_assert_int_eq(ladder_hundredths_of(-1), 0);
    ck_assert_int_eq(ladder_hundredths_of(NAN), 0);
    ck_assert_int_eq(ladder_hundredths_of(INFINITY), 100000000000);
}
END_TEST

START_TEST(a_share_is_scaled_half_up) {
    ck_assert_int_eq(ladder_hundredths_scale(1, 3, 10000), 3333);
    ck_assert_int_eq(ladder_hundredths_scale(2, 3, 10000), 6667);
    ck_assert_int_eq(ladder_hundredths_scale(1, 8, 100), 13);
    ck_assert_int_eq(ladder_hundredths_scale(3000, 3000, 777), 777);
    ck_assert_int_eq(ladder_hundredths_scale(1, 0, 100), 0);
}
END_TEST

static ladder_result *make(unsigned *seed, bool full) {
    ladder_result *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    r->step_count = LADDER_STEPS_MAX;
    for (int s = 0; s < r->step_count; s++) {
        r->steps[s].criteria_count = LADDER_CRITERIA_MAX;
        for (int c = 0; c < LADDER_CRITERIA_MAX; c++) {
            *seed = *seed * 1664525u + 1013904223u;
            double most = 0.25 * (1 + (*seed >> 8) % 12);
            double share = full ? 1 : (double)(*seed >> 4 & 0xFFFFF) / 0xFFFFF;
            r->steps[s].criteria[c] = (ladder_criterion_result){
                .counted = (*seed >> 28) != 0, .points = most * share, .points_max = most};
        }
    }
    ladder_result_total(r);
    return r;
}

START_TEST(parts_add_up_to_the_rounded_total) {
    unsigned seed = 1;
    for (int round = 0; round < 100; round++) {
        ladder_result *r = make(&seed, round % 5 == 0);
        ladder_hundredths marks;
        ladder_hundredths_from(r, &marks);
        int64_t sum = 0, most = 0;
        for (int s = 0; s < r->step_count; s++) {
            int64_t step = 0;
            for (int c = 0; c < LADDER_CRITERIA_MAX; c++) {
                const ladder_criterion_result *criterion = &r->steps[s].criteria[c];
                int64_t mark = marks.criterion[s][c];
                step += mark;
                ck_assert_int_ge(mark, 0);
                ck_assert_int_le(mark, marks.criterion_max[s][c]);
                double points = criterion->counted ? criterion->points : 0;
                ck_assert(fabs((double)mark - 100 * points) <= 1.0);
                if (criterion->counted && criterion->points == criterion->points_max)
                    ck_assert_int_eq(mark, marks.criterion_max[s][c]);
            }
            ck_assert_int_eq(step, marks.step[s]);
            sum += step;
            most += marks.step_max[s];
        }
        ck_assert_int_eq(sum, marks.total);
        ck_assert_int_eq(most, marks.total_max);
        ck_assert_int_eq(marks.total,
                         ladder_hundredths_of(r->points.reached)); // what tables of a class have
        ck_assert_int_eq(marks.total_max, ladder_hundredths_of(r->points.most));
        free(r);
    }
}
END_TEST

START_TEST(marks_are_written_with_two_digits) {
    char text[32];
    ck_assert_str_eq(ladder_hundredths_text(0, text, sizeof text), "0.00");
    ck_assert_str_eq(ladder_hundredths_text(5, text, sizeof text), "0.05");
    ck_assert_str_eq(ladder_hundredths_text(1250, text, sizeof text), "12.50");
}
END_TEST

KL_TEST_MAIN("export marks", points_are_rounded_half_up, a_share_is_scaled_half_up,
             parts_add_up_to_the_rounded_total, marks_are_written_with_two_digits)
