// SPDX-License-Identifier: MIT
// Comparison: NaN must never pass, infinities compare by value, comparing nothing is a failure.
#include <math.h>
#include <string.h>

#include "compare.h"
#include "problem.h"
#include "suite.h"

START_TEST(nan_never_passes) {
    ck_assert(!kl_close(NAN, 1.0, 1e30));
    ck_assert(!kl_close(1.0, NAN, 1e30));
    ck_assert(!kl_close(NAN, NAN, INFINITY));
    ck_assert(!kl_close(1.0, 1.0 + 1e-9, NAN));
    ck_assert(isinf(kl_distance(NAN, 0.0)));
}
END_TEST

START_TEST(infinities_compare_by_value) {
    ck_assert(kl_close(-INFINITY, -INFINITY, 0.0));
    ck_assert(!kl_close(INFINITY, -INFINITY, 1e300));
    ck_assert(!kl_close(1.0, INFINITY, 1e300));
    ck_assert_double_eq(kl_distance(INFINITY, INFINITY), 0.0);
}
END_TEST

START_TEST(fresh_memory_is_said_to_be_never_written) {
    const uint32_t patterns[] = {0xFFFFFFFF, 0xFFC0DEAD, 0x7FFFFFFF};
    const char *const texts[] = {"never written", "never written", "NaN"};
    for (int i = 0; i < 3; i++) {
        char text[32];
        float value;
        memcpy(&value, &patterns[i], sizeof value);
        ck_assert_str_eq(kl_value_text(value, text, sizeof text), texts[i]);
        ck_assert_int_eq(strncmp(kl_nan_cause(value), texts[i], strlen(texts[i])), 0);
    }
    ck_assert_ptr_null(kl_nan_cause(0.0));
    char text[32]; // integers have all their digits
    ck_assert_str_eq(kl_value_text(-1478218904, text, sizeof text), "-1478218904");
    ck_assert_str_eq(kl_value_text(1.5e18, text, sizeof text), "1.5e+18");
    ck_assert_str_eq(kl_value_text(0.1, text, sizeof text), "0.1");
    ck_assert_ptr_null(kl_nan_cause(INFINITY));
}
END_TEST

START_TEST(a_bound_of_zero_means_equal) {
    ck_assert(kl_close(0.0, -0.0, 0.0));
    ck_assert(!kl_close(1.0, nextafter(1.0, 2.0), 0.0));
}
END_TEST

START_TEST(comparing_nothing_is_a_failure) {
    float got = 0;
    double want = 0;
    ck_assert(!kl_compare_f32(&got, &want, NULL, 1.0, 0).ok);
}
END_TEST

START_TEST(the_first_wrong_element_is_named) {
    const float got[] = {1.0f, 2.5f, 3.0f, 9.0f};
    const double want[] = {1, 2, 3, 4};
    kl_comparison c = kl_compare_f32(got, want, NULL, 0.1, 4);
    ck_assert(!c.ok);
    ck_assert_uint_eq(c.wrong, 2);
    ck_assert_uint_eq(c.first_wrong, 1);
    ck_assert_double_eq(c.expected, 2);
    ck_assert_double_eq(c.got, 2.5);
    ck_assert_double_eq(c.max_error, 5);
    ck_assert_uint_eq(c.compared, 4);
}
END_TEST

START_TEST(each_element_may_have_its_bound) {
    const float got[] = {1.5f, 2.5f};
    const double want[] = {1, 2};
    const double wide[] = {1, 1}, mixed[] = {1, 0.25};
    ck_assert(kl_compare_f32(got, want, wide, 0, 2).ok);
    kl_comparison c = kl_compare_f32(got, want, mixed, 0, 2);
    ck_assert(!c.ok);
    ck_assert_uint_eq(c.first_wrong, 1);
    ck_assert_double_eq(c.bound, 0.25);
}
END_TEST

START_TEST(nan_among_right_elements_is_found) {
    const float got[] = {1.0f, NAN};
    const double want[] = {1, 2};
    kl_comparison c = kl_compare_f32(got, want, NULL, 1e6, 2);
    ck_assert(!c.ok);
    ck_assert_uint_eq(c.first_wrong, 1);
    ck_assert(isinf(c.max_error));
}
END_TEST

START_TEST(a_comparison_becomes_a_verdict) {
    const float got[] = {1.0f, 5.0f, 7.0f};
    const double want[] = {1.0, 2.0, 3.0};
    kl_comparison compared = kl_compare_f32(got, want, NULL, 0.5, 3);
    kl_verdict v = kl_verdict_of(&compared);
    ck_assert(!v.ok && v.compared == 3 && v.first_wrong == 1 && v.output == 0);
    ck_assert(v.expected == 2.0 && v.got == 5.0 && v.bound == 0.5 && v.max_error == 4.0);
    ck_assert_str_eq(v.hint, "");
}
END_TEST

KL_TEST_MAIN("compare", a_comparison_becomes_a_verdict, nan_never_passes,
             infinities_compare_by_value, a_bound_of_zero_means_equal,
             fresh_memory_is_said_to_be_never_written, comparing_nothing_is_a_failure,
             the_first_wrong_element_is_named, each_element_may_have_its_bound,
             nan_among_right_elements_is_found)
