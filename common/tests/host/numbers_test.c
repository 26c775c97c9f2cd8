// Statistics, comparisons of results, work on several threads, the paper of pictures.
#include <sched.h>
#include <stdatomic.h>

#include "random.h"
#include "stats.h"
#include "suite.h"
#include "problem.h"
#include "parallel.h"
#include "paper.h"

// ---- stats ----
// Statistics: medians, percentiles, bootstrap intervals, and the random numbers under them.

KL_TEST(median_of_odd_even_and_none) {
    const double odd[] = {5, 1, 3};
    const double even[] = {4, 1, 3, 2};
    ck_assert_double_eq(kl_median(odd, 3), 3.0);
    ck_assert_double_eq(kl_median(even, 4), 2.5);
    ck_assert(isnan(kl_median(odd, 0)));
}

KL_TEST(percentiles_are_linear_between_neighbours) {
    const double sorted[] = {10, 20, 30, 40, 50};
    ck_assert_double_eq(kl_percentile_sorted(sorted, 5, 0), 10);
    ck_assert_double_eq(kl_percentile_sorted(sorted, 5, 25), 20);
    ck_assert_double_eq_tol(kl_percentile_sorted(sorted, 5, 30), 22, 1e-12);
    ck_assert_double_eq(kl_percentile_sorted(sorted, 5, 100), 50);
    ck_assert_double_eq(kl_percentile_sorted(sorted, 1, 77), 10);
}

KL_TEST(interval_holds_the_median_and_repeats_exactly) {
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

// The true median must lie in a 95 % interval about 95 times of 100.
KL_TEST(interval_covers_the_true_median) {
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

KL_TEST(interval_of_one_and_of_none) {
    const double one = 42.0;
    kl_interval interval = kl_median_interval(&one, 1, 0.95);
    ck_assert_double_eq(interval.low, 42.0);
    ck_assert_double_eq(interval.high, 42.0);
    ck_assert(isnan(kl_median_interval(&one, 0, 0.95).mid));
}

KL_TEST(geometric_mean) {
    const double values[] = {1, 4, 16};
    const double bad[] = {1, 0};
    ck_assert_double_eq_tol(kl_geometric_mean(values, 3), 4.0, 1e-12);
    ck_assert(isnan(kl_geometric_mean(bad, 2)));
    ck_assert(isnan(kl_geometric_mean(values, 0)));
}

// The first outputs of SplitMix64 with seed 0, as published with the algorithm.
KL_TEST(random_numbers_are_splitmix64) {
    ck_assert_uint_eq(kl_random_u64(0, 0), UINT64_C(0xE220A8397B1DCDAF));
    ck_assert_uint_eq(kl_random_u64(0, 1), UINT64_C(0x6E789E6AA1B965F4));
    ck_assert_uint_eq(kl_random_u64(0, 2), UINT64_C(0x06C45D188009454F));
}

KL_TEST(random_numbers_stay_in_range_and_spread) {
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

// ---- compare ----
// Comparison: NaN must never pass, infinities compare by value, comparing nothing is a failure.

KL_TEST(nan_never_passes) {
    ck_assert(!kl_close(NAN, 1.0, 1e30));
    ck_assert(!kl_close(1.0, NAN, 1e30));
    ck_assert(!kl_close(NAN, NAN, INFINITY));
    ck_assert(!kl_close(1.0, 1.0 + 1e-9, NAN));
    ck_assert(isinf(kl_distance(NAN, 0.0)));
}

KL_TEST(infinities_compare_by_value) {
    ck_assert(kl_close(-INFINITY, -INFINITY, 0.0));
    ck_assert(!kl_close(INFINITY, -INFINITY, 1e300));
    ck_assert(!kl_close(1.0, INFINITY, 1e300));
    ck_assert_double_eq(kl_distance(INFINITY, INFINITY), 0.0);
}

KL_TEST(fresh_memory_is_said_to_be_never_written) {
    const uint32_t patterns[] = {0xFFFFFFFF, 0x7BDE7BAD, 0x7FFFFFFF};
    const char *const texts[] = {"never written", "never written", "NaN"};
    for (int i = 0; i < 3; i++) {
        char text[32];
        float value;
        memcpy(&value, &patterns[i], sizeof value);
        ck_assert_str_eq(kl_value_text(value, text, sizeof text), texts[i]);
    }
    char text[32]; // integers have all their digits
    ck_assert_str_eq(kl_value_text(-1478218904, text, sizeof text), "-1478218904");
    ck_assert_str_eq(kl_value_text(1.5e18, text, sizeof text), "1.5e+18");
    ck_assert_str_eq(kl_value_text(0.1, text, sizeof text), "0.1");
}

KL_TEST(a_bound_of_zero_means_equal) {
    ck_assert(kl_close(0.0, -0.0, 0.0));
    ck_assert(!kl_close(1.0, nextafter(1.0, 2.0), 0.0));
}

KL_TEST(comparing_nothing_is_a_failure) {
    float got = 0;
    double want = 0;
    ck_assert(!kl_compare_f32(&got, &want, NULL, 1.0, 0).ok);
}

KL_TEST(the_first_wrong_element_is_named) {
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

KL_TEST(each_element_may_have_its_bound) {
    const float got[] = {1.5f, 2.5f};
    const double want[] = {1, 2};
    const double wide[] = {1, 1}, mixed[] = {1, 0.25};
    ck_assert(kl_compare_f32(got, want, wide, 0, 2).ok);
    kl_comparison c = kl_compare_f32(got, want, mixed, 0, 2);
    ck_assert(!c.ok);
    ck_assert_uint_eq(c.first_wrong, 1);
    ck_assert_double_eq(c.bound, 0.25);
}

KL_TEST(nan_among_right_elements_is_found) {
    const float got[] = {1.0f, NAN};
    const double want[] = {1, 2};
    kl_comparison c = kl_compare_f32(got, want, NULL, 1e6, 2);
    ck_assert(!c.ok);
    ck_assert_uint_eq(c.first_wrong, 1);
    ck_assert(isinf(c.max_error));
}

KL_TEST(a_comparison_becomes_a_verdict) {
    const float got[] = {1.0f, 5.0f, 7.0f};
    const double want[] = {1.0, 2.0, 3.0};
    kl_comparison compared = kl_compare_f32(got, want, NULL, 0.5, 3);
    kl_verdict v = kl_verdict_of(&compared);
    ck_assert(!v.ok && v.compared == 3 && v.first_wrong == 1 && v.output == 0);
    ck_assert(v.expected == 2.0 && v.got == 5.0 && v.bound == 0.5 && v.max_error == 4.0);
    ck_assert_str_eq(v.hint, "");
}

// ---- parallel ----
// Tests of common/host/parallel.h: each piece once, whatever the number of pieces and threads; a
// process may fork afterwards.

enum { MOST = 1000 };

static void count_piece(void *context, int index) {
    atomic_fetch_add((atomic_int *)context + index, 1);
}

KL_TEST(test_each_piece_once) {
    static const int counts[] = {0, 1, 2, 3, KL_PARALLEL_MOST, KL_PARALLEL_MOST + 1, MOST};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        atomic_int seen[MOST + 1] = {0};
        kl_parallel(counts[k], count_piece, seen);
        for (int i = 0; i <= MOST; i++)
            ck_assert_int_eq(atomic_load(&seen[i]), i < counts[k] ? 1 : 0);
    }
}

static void nest(void *context, int index) {
    (void)index;
    kl_parallel(MOST, count_piece, context);
}

KL_TEST(test_pieces_may_have_pieces) {
    atomic_int seen[MOST] = {0};
    kl_parallel(7, nest, seen);
    for (int i = 0; i < MOST; i++) ck_assert_int_eq(atomic_load(&seen[i]), 7);
}

// A child has only the thread that forked; it must be able to start threads of its own.
KL_TEST(test_a_child_can_go_on) {
    atomic_int seen[MOST] = {0};
    kl_parallel(MOST, count_piece, seen);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        kl_parallel(MOST, count_piece, seen);
        _exit(atomic_load(&seen[MOST - 1]));
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 2);
}

KL_TEST(test_threads_are_bounded) {
    ck_assert_int_ge(kl_parallel_threads(), 1);
    ck_assert_int_le(kl_parallel_threads(), KL_PARALLEL_MOST);
}

// In a container, or under taskset, a machine has more processors than its programs may use.
KL_TEST(test_threads_are_those_that_can_run) {
    cpu_set_t mine, one;
    ck_assert_int_eq(sched_getaffinity(0, sizeof mine, &mine), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &mine)) CPU_SET(i, &one);
    ck_assert_int_eq(kl_parallel_threads(),
                     CPU_COUNT(&mine) < KL_PARALLEL_MOST ? CPU_COUNT(&mine) : KL_PARALLEL_MOST);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    int threads = kl_parallel_threads();
    ck_assert_int_eq(sched_setaffinity(0, sizeof mine, &mine), 0);
    ck_assert_int_eq(threads, 1);
}

// ---- paper ----
// The paper of pictures: what is written on it is escaped, and every class has a colour on light
// and on dark pages.

static char svg[1 << 14];

static void draw(const char *text) {
    FILE *out = fmemopen(svg, sizeof svg, "w");
    ck_assert_ptr_nonnull(out);
    kl_paper_begin(out, 10, 20, text);
    kl_paper_text(out, 1, 2, "v m", "%s %d", text, 7);
    kl_paper_end(out);
    fclose(out);
}

KL_TEST(texts_are_escaped) {
    draw("a<b>&\"c\"\n");
    KL_HAS(svg, "<title>a&lt;b&gt;&amp;&quot;c&quot;?</title>",
           "class=\"v m\">a&lt;b&gt;&amp;&quot;c&quot;? 7</text>",
           "width=\"10\" height=\"20\" viewBox=\"0 0 10 20\"");
}

KL_TEST(every_class_has_a_colour_on_both_pages) {
    static const char *const classes[] = {".paper", ".cell", ".good",  ".bad",   ".mark", ".ink",
                                          ".frame", ".head", ".k0",    ".k7",    ".h0",   ".h5",
                                          ".s0",    ".s7",   ".pale",  ".plain", ".grid", ".axis",
                                          ".dash",  ".v,.n", ".arrow", ".t{fil", ".on",   ".halo"};
    draw("x");
    char *dark = strstr(svg, "@media(prefers-color-scheme:dark){");
    ck_assert_ptr_nonnull(dark);
    *dark++ = '\0';
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        ck_assert_msg(strstr(svg, classes[i]), "%s has no colour", classes[i]);
        ck_assert_msg(strstr(dark, classes[i]), "%s has no dark colour", classes[i]);
    }
}

KL_TEST_MAIN("numbers")
