// Lab 11's problem and reference: inputs are what they promise, the answer equals a brute-force
// one, sums in the steps' orders pass, and single mistakes do not.
#include "random.h"
#include "reference.h"
#include "problem_suite.h"

static const kl_problem *const problem = &scan_problem;

static kl_prepared prepare(const char *family, int64_t size, uint64_t seed) {
    return kl_test_case(problem, family, size, seed);
}

static kl_verdict judge(const kl_prepared *p, const void *y) {
    return kl_test_verdict(problem, p, y);
}

static bool is_exclusive(const kl_prepared *p) {
    return p->shape.ints[2] == SCAN_EXCLUSIVE;
}

// One after the other; floats in double precision, each sum rounded once.
static void brute_force(const kl_prepared *p, void *y) {
    uint32_t ints = 0;
    double floats = 0;
    bool exclusive = is_exclusive(p);
    for (int64_t i = 0; i < p->shape.size; i++) {
        uint32_t before = ints;
        double float_before = floats;
        if (p->shape.ints[1] == SCAN_INT) {
            ints += ((const uint32_t *)p->inputs[0])[i];
            ((uint32_t *)y)[i] = exclusive ? before : ints;
        } else {
            floats += (double)((const float *)p->inputs[0])[i];
            ((float *)y)[i] = (float)(exclusive ? float_before : floats);
        }
    }
}

static const int64_t sizes[] = {0, 1, 2, 3, 31, 33, 1000, 1024, 1025, 4097, 65537};
enum { SIZES = sizeof sizes / sizeof sizes[0], MOST = 65537 };
static uint32_t y[MOST];

KL_TEST(answers_equal_brute_force) {
    for (int f = 0; f < problem->family_count; f++) {
        for (int s = 0; s < SIZES; s++) {
            kl_prepared p = prepare(problem->families[f].name, sizes[s], 7);
            brute_force(&p, y);
            kl_verdict v = judge(&p, y);
            ck_assert_msg(v.ok, "%s %lld: %g for %g at %llu", problem->families[f].name,
                          (long long)sizes[s], v.got, v.expected,
                          (unsigned long long)v.first_wrong);
            kl_prepared_free(&p);
        }
    }
}

// In tiles of 1024 with a carry, by doubling in each, in single precision: as in step 1.
static void in_tiles(const float *x, int64_t n, float *out) {
    static float from[1024], to[1024];
    float carry = 0;
    for (int64_t first = 0; first < n; first += 1024) {
        int64_t count = n - first < 1024 ? n - first : 1024;
        memcpy(from, x + first, (size_t)count * sizeof *x);
        for (int64_t stride = 1; stride < 1024; stride *= 2) {
            for (int64_t i = 0; i < count; i++)
                to[i] = i >= stride ? from[i] + from[i - stride] : from[i];
            memcpy(from, to, (size_t)count * sizeof *to);
        }
        for (int64_t i = 0; i < count; i++) out[first + i] = carry + from[i];
        carry += from[count - 1];
    }
}

KL_TEST(orders_of_the_steps_pass) {
    for (uint64_t seed = 0; seed < 5; seed++) {
        for (int s = 1; s < SIZES; s++) {
            kl_prepared p = prepare("float", sizes[s], seed);
            in_tiles(p.inputs[0], sizes[s], (float *)y);
            ck_assert(judge(&p, y).ok);
            kl_prepared_free(&p);
        }
    }
}

KL_TEST(a_single_wrong_sum_shows) {
    for (int f = 0; f < problem->family_count; f++) {
        const char *name = problem->families[f].name;
        kl_prepared p = prepare(name, 4097, 3);
        for (uint64_t k = 0; k < 40; k++) {
            uint64_t at = kl_random_u64(5, k) % 4097;
            brute_force(&p, y);
            bool special = p.shape.ints[1] == SCAN_FLOAT && isnan(((float *)y)[at]); // stays one
            y[at] ^= p.shape.ints[1] == SCAN_INT ? 1 : UINT32_C(1) << 18; // 1/32 of a float
            kl_verdict v = judge(&p, y);
            ck_assert_msg(!v.ok || special || ((float *)y)[at] == 0.0f, "%s", name);
            if (!v.ok) ck_assert_uint_eq(v.first_wrong, at);
        }
        kl_prepared_free(&p);
    }
}

// Every sum of neighbours stays an integer below 2^24: no order rounds.
KL_TEST(exact_cases_are_exact) {
    kl_prepared p = prepare("large-float", 3000000, 2);
    const float *x = p.inputs[0];
    double sum = 0, least = 0, most = 0;
    int64_t fractions = 0, zeros = 0;
    for (int64_t i = 0; i < 3000000; i++) {
        fractions += x[i] != rintf(x[i]);
        zeros += x[i] == 0;
        sum += (double)x[i];
        least = fmin(least, sum);
        most = fmax(most, sum);
    }
    ck_assert_int_eq(fractions, 0);
    ck_assert_int_eq(zeros, 0);
    ck_assert(most - least < 0x1p24);
    ck_assert_double_eq(scan_bound(p.solution, &(scan_sums){.of_sizes = 1e9}), 0.0);
    kl_prepared_free(&p);
}

// NaN where the sum is one, but not what fills fresh memory; an infinity stays one.
KL_TEST(special_values_go_on) {
    kl_prepared p = prepare("special", 1000, 11);
    float *out = (float *)y;
    int nans = 0, infinities = 0;
    brute_force(&p, y);
    for (int i = 0; i < 1000; i++) {
        nans += isnan(out[i]);
        infinities += isinf(out[i]) != 0;
    }
    ck_assert_int_gt(nans, 0);
    ck_assert_int_gt(infinities, 0);
    ck_assert(judge(&p, y).ok);
    memset(&y[999], 0xFF, 4);
    ck_assert(!judge(&p, y).ok);
    brute_force(&p, y);
    for (int i = 0; i < 1000; i++)
        if (isinf(out[i])) out[i] -= ((const float *)p.inputs[0])[i] + out[i]; // NaN
    kl_verdict v = judge(&p, y);
    ck_assert(!v.ok);
    KL_HAS(v.hint, "an infinity goes on");
    kl_prepared_free(&p);
}

KL_TEST(mistakes_are_explained) {
    kl_prepared p = prepare("int", 4097, 1), e = prepare("int-exclusive", 4097, 1);
    uint32_t *x = p.inputs[0];
    brute_force(&e, y); // of another array: the family makes no difference to the generator
    ck_assert(memcmp(x, e.inputs[0], 4 * 4097) == 0);
    KL_HAS(judge(&p, y).hint, "exclusive sum");
    brute_force(&p, y);
    KL_HAS(judge(&e, y).hint, "inclusive sum");
    for (int i = 1024; i < 2048; i++) y[i] -= y[1023];
    KL_HAS(judge(&p, y).hint, "start anew at y[1024]: y[1023]");
    brute_force(&e, y);
    for (int i = 512; i < 1024; i++) y[i] -= y[512];
    KL_HAS(judge(&e, y).hint, "the sum of x[0] to x[511] is not added");
    brute_force(&p, y);
    y[512]++;
    KL_HAS(judge(&p, y).hint, "right up to y[511]; y[512], where");
    brute_force(&p, y);
    y[4095]++;
    ck_assert_str_eq(judge(&p, y).hint, ""); // by many mistakes
    brute_force(&p, y);
    y[1] = x[1];
    KL_HAS(judge(&p, y).hint, "x[i] alone");
    kl_prepared few = prepare("int", 100, 1);
    brute_force(&few, y);
    y[99]++;
    KL_HAS(judge(&few, y).hint, "exactly the last element");
    kl_prepared_free(&few);
    kl_prepared two = prepare("int", 2, 1); // whichever it is, no hint may say which
    brute_force(&two, y);
    y[1] ^= 5;
    ck_assert_ptr_null(strstr(judge(&two, y).hint, "exactly"));
    y[0]++;
    KL_HAS(judge(&two, y).hint, "y[0] is x[0] alone");
    kl_prepared_free(&two);
    kl_prepared_free(&p);
    kl_prepared_free(&e);
}

KL_TEST(cases_out_of_range_are_refused) {
    kl_test_range(problem);
}

// x and y of "offset" lie otherwise within 16 bytes, and neither at a multiple of it.
KL_TEST(offsets_differ) {
    kl_case c;
    kl_error err;
    for (int64_t n = 1; n < 20; n++) {
        OK(problem->describe(kl_problem_family(problem, "offset"), n, 1, &c, &err));
        ck_assert_uint_ne(c.inputs[0].offset_bytes % 16, 0);
        ck_assert_uint_ne(c.outputs[0].offset_bytes % 16, c.inputs[0].offset_bytes % 16);
    }
}

KL_TEST_MAIN("scan")
