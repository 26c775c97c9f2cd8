// Lab 02's problem and reference: inputs are what they promise, the answer equals a brute-force
// one, every allowed order of additions passes, and single mistakes do not.
#include "random.h"
#include "reference.h"
#include "problem_suite.h"

static const kl_problem *const problem = &reduction_problem;

static kl_prepared prepare(const char *family, int64_t size, uint64_t seed) {
    return kl_test_case(problem, family, size, seed);
}

static kl_verdict judge(const kl_prepared *p, float got) {
    return kl_test_verdict(problem, p, &got);
}

static const float *data_of(const kl_prepared *p) {
    return p->inputs[0];
}

static const int64_t sizes[] = {0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 1000, 4099, 65537, 200001};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

KL_TEST(answers_equal_brute_force) {
    for (int f = 0; f < problem->family_count; f++) {
        for (int s = 0; s < SIZES; s++) {
            kl_prepared p = prepare(problem->families[f].name, sizes[s], 11);
            const float *x = data_of(&p);
            long double sum = 0;
            float largest = -INFINITY;
            bool finite = true;
            for (int64_t i = 0; i < sizes[s]; i++) {
                finite = finite && isfinite(x[i]);
                sum += x[i];
                largest = fmaxf(largest, x[i]);
            }
            ck_assert(finite);
            const reduction_answer *answer = p.solution;
            bool is_max = p.shape.ints[1] == REDUCTION_MAX;
            double want = is_max ? (double)largest : (double)sum;
            ck_assert(answer->value == want ||
                      fabs(answer->value - want) < 1e-12 * (1 + fabs(want)));
            ck_assert(judge(&p, (float)want).ok);
            kl_prepared_free(&p);
        }
    }
}

// Neither the positive nor the negative elements may exceed 2^24 in sum: then no order rounds.
KL_TEST(exact_cases_are_exact_in_any_order) {
    static const char *const families[] = {"sum-exact", "sum-positive", "sum-offset"};
    static const int64_t large[] = {1 << 20, 1 << 24, (1 << 24) + 5, 50000017};
    for (int f = 0; f < 3; f++) {
        for (int s = 0; s < 4; s++) {
            kl_prepared p = prepare(families[f], large[s], 5);
            const float *x = data_of(&p);
            double positive = 0, negative = 0;
            int64_t zeros = 0, fractions = 0; // counted: an assertion an element takes minutes
            for (int64_t i = 0; i < large[s]; i++) {
                fractions += x[i] != rintf(x[i]);
                positive += x[i] > 0 ? x[i] : 0;
                negative -= x[i] < 0 ? x[i] : 0;
                zeros += x[i] == 0;
            }
            ck_assert_int_eq(fractions, 0);
            ck_assert(positive <= 0x1p24 && negative <= 0x1p24);
            ck_assert(positive > 0);
            if (large[s] <= 1 << 24) ck_assert_int_eq(zeros, 0); // every element counts
            ck_assert_double_eq(((reduction_answer *)p.solution)->bound, 0.0);
            kl_prepared_free(&p);
        }
    }
}

// Sums with float arithmetic in the orders that the steps use.
static float chained(const float *x, int64_t n, int64_t threads) {
    static float partial[4096];
    for (int64_t t = 0; t < threads; t++) {
        partial[t] = 0;
        for (int64_t i = t; i < n; i += threads) partial[t] += x[i];
    }
    float sum = partial[0];
    for (int64_t t = 1; t < threads; t++) sum += partial[t];
    return sum;
}

static float pairwise(const float *x, int64_t n) {
    return n == 0 ? 0 : n == 1 ? x[0] : pairwise(x, n / 2) + pairwise(x + n / 2, n - n / 2);
}

KL_TEST(every_allowed_order_passes) {
    static const char *const families[] = {"sum-real", "sum-wide", "sum-exact", "sum-positive"};
    for (int f = 0; f < 4; f++) {
        for (int s = 0; s < SIZES; s++) {
            for (uint64_t seed = 0; seed < 5; seed++) {
                kl_prepared p = prepare(families[f], sizes[s], seed);
                ck_assert(judge(&p, chained(data_of(&p), sizes[s], 256)).ok);
                ck_assert(judge(&p, pairwise(data_of(&p), sizes[s])).ok);
                kl_prepared_free(&p);
            }
        }
    }
}

KL_TEST(a_missing_or_double_element_shows) {
    static const char *const families[] = {"sum-exact", "sum-positive", "sum-offset"};
    for (int f = 0; f < 3; f++) {
        for (int s = 1; s < SIZES; s++) {
            kl_prepared p = prepare(families[f], sizes[s], 3);
            double want = ((reduction_answer *)p.solution)->value;
            for (uint64_t k = 0; k < 50; k++) {
                uint64_t at = kl_random_u64(9, k) % (uint64_t)sizes[s];
                ck_assert(!judge(&p, (float)(want - data_of(&p)[at])).ok);
                ck_assert(!judge(&p, (float)(want + data_of(&p)[at])).ok);
            }
            kl_prepared_free(&p);
        }
    }
}

KL_TEST(the_maximum_lies_where_the_family_says) {
    for (int s = 1; s < SIZES; s++) {
        int64_t n = sizes[s];
        kl_prepared first = prepare("max-first", n, 8), last = prepare("max-last", n, 8);
        kl_prepared odd = prepare("max-odd", n, 8);
        double want = ((reduction_answer *)odd.solution)->value;
        int64_t at = -1;
        for (int64_t i = 0; i < n; i++) {
            ck_assert(data_of(&odd)[i] < 0);
            if ((double)data_of(&odd)[i] == want) {
                ck_assert_int_eq(at, -1); // it occurs once
                at = i;
            }
        }
        ck_assert(n < 2 || at % 2 == 1);
        ck_assert_double_eq(((reduction_answer *)first.solution)->value, data_of(&first)[0]);
        ck_assert_double_eq(((reduction_answer *)last.solution)->value, data_of(&last)[n - 1]);
        ck_assert(!judge(&odd, 0.0f).ok);
        ck_assert(!judge(&odd, nextafterf((float)want, 0)).ok);
        kl_prepared_free(&first);
        kl_prepared_free(&last);
        kl_prepared_free(&odd);
    }
}

KL_TEST(no_elements_have_an_answer) {
    kl_prepared sum = prepare("sum-exact", 0, 1), max = prepare("max-first", 0, 1);
    ck_assert(judge(&sum, 0.0f).ok);
    ck_assert(!judge(&sum, 1.0f).ok);
    ck_assert(judge(&max, -INFINITY).ok);
    ck_assert(!judge(&max, 0.0f).ok);
    ck_assert(!judge(&max, -3.4e38f).ok);
    kl_prepared_free(&sum);
    kl_prepared_free(&max);
}

KL_TEST(seeds_make_different_inputs_and_repeat) {
    kl_prepared a = prepare("sum-exact", 1000, 1), b = prepare("sum-exact", 1000, 1);
    kl_prepared c = prepare("sum-exact", 1000, 2);
    ck_assert(memcmp(a.inputs[0], b.inputs[0], 4000) == 0);
    ck_assert(memcmp(a.inputs[0], c.inputs[0], 4000) != 0);
    kl_prepared_free(&a);
    kl_prepared_free(&b);
    kl_prepared_free(&c);
}

KL_TEST(mistakes_are_explained) {
    kl_prepared p = prepare("sum-exact", 1000, 1);
    double want = ((reduction_answer *)p.solution)->value;
    const float *x = data_of(&p);
    double tail = 0;
    for (int i = 768; i < 1000; i++) tail += x[i];
    float fresh;
    memset(&fresh, 0xFF, sizeof fresh);
    ck_assert_int_eq(strcmp(judge(&p, fresh).hint, ""), 0);
    ck_assert_int_eq(strcmp(judge(&p, NAN).hint, ""), 0);
    KL_HAS(judge(&p, (float)(want - x[999])).hint, "last element");
    KL_HAS(judge(&p, (float)(want - tail)).hint, "from 768 on");
    KL_HAS(judge(&p, (float)(2 * want)).hint, "twice");
    ck_assert_str_eq(judge(&p, (float)want).hint, "");
    for (int each = 1; each <= 4; each *= 4) {
        double lower = 0;
        for (int i = 0; i < 1000; i++) lower += i / each % 32 < 8 ? x[i] : 0;
        ck_assert_ptr_nonnull(strstr(judge(&p, (float)lower).hint, "lanes 8 to 31 of each warp"));
    }
    kl_prepared warp = prepare("sum-exact", 31, 1);
    double half = 0;
    for (int i = 0; i < 16; i++) half += data_of(&warp)[i];
    ck_assert_ptr_nonnull(strstr(judge(&warp, (float)half).hint, "from 16 on are missing"));
    kl_prepared_free(&warp);
    kl_prepared two = prepare("sum-exact", 2, 1); // whichever is missing, no hint may say which
    double both = ((reduction_answer *)two.solution)->value;
    ck_assert_ptr_null(strstr(judge(&two, (float)(both - data_of(&two)[1])).hint, "exactly"));
    kl_prepared max = prepare("max-last", 1000, 1);
    KL_HAS(judge(&max, 0.0f).hint, "larger than every element");
    KL_HAS(judge(&max, data_of(&max)[0]).hint, "last");
    kl_prepared_free(&p);
    kl_prepared_free(&two);
    kl_prepared_free(&max);
}

KL_TEST(half_precision_does_not_pass) {
    kl_prepared p = prepare("sum-positive", 1000, 1);
    double sum = 0; // inputs cut to the 11 significant bits of half, added exactly
    for (int i = 0; i < 1000; i++) {
        int exponent;
        float fraction = frexpf(data_of(&p)[i], &exponent);
        sum += (double)ldexpf(rintf(fraction * 2048), exponent - 11);
    }
    ck_assert(!judge(&p, (float)sum).ok);
    kl_prepared_free(&p);
}

KL_TEST(cases_out_of_range_are_refused) {
    kl_test_range(problem);
}

// The suite must hold the sizes that the lab promises to check, and name known families.
KL_TEST(the_suite_is_complete) {
    static const int64_t promised[] = {0, 1, 31, 1000003, 1 << 24};
    for (int k = 0; k < 5; k++) {
        bool found = false;
        for (int i = 0; i < problem->suite_count; i++) {
            const kl_suite_entry *e = &problem->suite[i];
            ck_assert(e->family >= 0 && e->family < problem->family_count);
            found = found || (e->size == promised[k] && (e->flags & KL_CHECK) != 0);
        }
        ck_assert_msg(found, "size %lld is not checked", (long long)promised[k]);
    }
    ck_assert_int_ge(kl_problem_family(problem, problem->timed_family), 0);
    ck_assert_int_eq(kl_problem_family(problem, "nonsense"), -1);
    ck_assert_ptr_nonnull(kl_problem_step(problem, 8));
    ck_assert_ptr_null(kl_problem_step(problem, 9));
}

KL_TEST(the_workspace_holds_what_the_steps_put_there) {
    for (int s = 0; s < SIZES; s++) {
        size_t n = (size_t)sizes[s];
        size_t first = (n + 255) / 256, second = (first + 255) / 256;
        ck_assert_uint_ge(reduction_workspace_bytes(sizes[s]), 256 + 4 * (first + second));
        ck_assert_uint_eq(reduction_workspace_bytes(sizes[s]) % 256, 0);
    }
    ck_assert_uint_ge(reduction_workspace_bytes(0), 256 + 4 * 4096); // choose_blocks()
}

KL_TEST_MAIN("reduction")
