// SPDX-License-Identifier: MIT
// Statistics: medians, percentiles, bootstrap intervals, and the random numbers under them.
#include <math.h>
#include <string.h>

#include "random.h"
#include "stats.h"
#include "suite.h"

START_TEST(median_of_odd_even_and_none) {
    const double odd[] = {5, 1, 3};
    const double even[] = {4, 1, 3, 2};
    ck_assert_double_eq(kl_median(odd, 3), 3.0);
    ck_assert_double_eq(kl_median(even, 4), 2.5);
    ck_assert(isnan(kl_median(odd, 0)));
}
END_TEST

START_TEST(percentiles_are_linear_between_neighbours) {
    const double sorted[] = {10, 20, 30, 40, 50};
    ck_assert_double_eq(kl_percentile_sorted(sorted, 5, 0), 10);
    ck_assert_double_eq(kl_percentile_sorted(sorted, 5, 25), 20);
    ck_assert_double_eq_tol(kl_percentile_sorted(sorted, 5, 30), 22, 1e-12);
    ck_assert_double_eq(kl_percentile_sorted(sorted, 5, 100), 50);
    ck_assert_double_eq(kl_percentile_sorted(sorted, 1, 77), 10);
}
END_TEST

START_TEST(interval_holds_the_median_and_repeats_exactly) {
    double samples[31];
    for (int i = 0; i < 31; i++) samples[i] = 100.0 + kl_random_signed(7, (uint64_t)i);
    kl_interval a = kl_median_interval(samples, 31, 0.95);
    kl_interval b = kl_median_interval(samples, 31, 0.95);
    ck_assert(memcmp(&a, &b, sizeof a) == 0);
    ck_assert(a.low <= a.mid && a.mid <= a.high);
    ck_assert(a.low < a.high);
    ck_assert_double_eq(a.mid, kl_median(samples, 31));
    kl_interval narrow = kl_median_interval(samples, 31, 0.5);
    ck_assert(narrow.high - narrow.low < a.high - a.low);
}
END_TEST

// The true median must lie in a 95 % interval about 95 times of 100.
START_TEST(interval_covers_the_true_median) {
    int covered = 0;
    for (uint64_t trial = 0; trial < 200; trial++) {
        double samples[25];
        for (uint64_t i = 0; i < 25; i++) samples[i] = kl_random_unit(1000 + trial, i);
        kl_interval interval = kl_median_interval(samples, 25, 0.95);
        covered += interval.low <= 0.5 && 0.5 <= interval.high;
    }
    ck_assert_int_ge(covered, 180);
    ck_assert_int_le(covered, 200);
}
END_TEST

START_TEST(interval_of_one_and_of_none) {
    const double one = 42.0;
    kl_interval interval = kl_median_interval(&one, 1, 0.95);
    ck_assert_double_eq(interval.low, 42.0);
    ck_assert_double_eq(interval.high, 42.0);
    ck_assert(isnan(kl_median_interval(&one, 0, 0.95).mid));
}
END_TEST

START_TEST(geometric_mean) {
    const double values[] = {1, 4, 16};
    const double bad[] = {1, 0};
    ck_assert_double_eq_tol(kl_geometric_mean(values, 3), 4.0, 1e-12);
    ck_assert(isnan(kl_geometric_mean(bad, 2)));
    ck_assert(isnan(kl_geometric_mean(values, 0)));
}
END_TEST

// The first outputs of SplitMix64 with seed 0, as published with the algorithm.
START_TEST(random_numbers_are_splitmix64) {
    ck_assert_uint_eq(kl_random_u64(0, 0), UINT64_C(0xE220A8397B1DCDAF));
    ck_assert_uint_eq(kl_random_u64(0, 1), UINT64_C(0x6E789E6AA1B965F4));
    ck_assert_uint_eq(kl_random_u64(0, 2), UINT64_C(0x06C45D188009454F));
}
END_TEST

START_TEST(random_numbers_stay_in_range_and_spread) {
    int below[10] = {0};
    double sum = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        float unit = kl_random_unit(3, i);
        ck_assert(unit >= 0.0f && unit < 1.0f);
        float both = kl_random_signed(3, i);
        ck_assert(both >= -1.0f && both < 1.0f);
        sum += both;
        below[kl_random_below(4, i, 10)]++;
    }
    ck_assert(fabs(sum / 10000) < 0.03);
    for (int d = 0; d < 10; d++) ck_assert(below[d] > 850 && below[d] < 1150);
    ck_assert_uint_ne(kl_random_fork(1, 0), kl_random_fork(1, 1));
    ck_assert_uint_eq(kl_random_below(1, 1, 1), 0);
}
END_TEST

KL_TEST_MAIN("stats", median_of_odd_even_and_none, percentiles_are_linear_between_neighbours,
             interval_holds_the_median_and_repeats_exactly, interval_covers_the_true_median,
             interval_of_one_and_of_none, geometric_mean, random_numbers_are_splitmix64,
             random_numbers_stay_in_range_and_spread)
