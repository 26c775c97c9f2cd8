// Lab 12's problem and reference: inputs are what their families promise, answers equal those of
// another way of counting, single mistakes show and are explained.
#include "random.h"
#include "reference.h"
#include "problem_suite.h"

static const kl_problem *const problem = &histogram_problem;

static kl_prepared prepare(const char *family, int64_t size, uint64_t seed) {
    return kl_test_case(problem, family, size, seed);
}

static histogram_kind kind_of(const kl_prepared *p) {
    return (histogram_kind)p->shape.ints[1];
}

static kl_verdict judge(const kl_prepared *p, const uint32_t *got) {
    return kl_test_verdict(problem, p, got);
}

static uint32_t value_at(const kl_prepared *p, int64_t i) {
    switch (kind_of(p)) {
    case HISTOGRAM_BYTES: return ((const uint8_t *)p->inputs[0])[i];
    case HISTOGRAM_SHORTS: return ((const uint16_t *)p->inputs[0])[i];
    default: return ((const uint32_t *)p->inputs[0])[i];
    }
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

enum { MOST = 65537 };
static uint32_t sorted[MOST], got[HISTOGRAM_MOST_BINS];

// Counts by sorting: the values below the upper end of a bin, less those below its lower end.
KL_TEST(answers_equal_those_of_sorting) {
    static const int64_t sizes[] = {0, 1, 2, 31, 257, 4099, MOST};
    for (int f = 0; f < problem->family_count; f++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            kl_prepared p = prepare(problem->families[f].name, sizes[s], 7);
            uint64_t width = UINT64_C(1) << histogram_shift(kind_of(&p));
            const uint32_t *answer = p.solution;
            for (int64_t i = 0; i < sizes[s]; i++) sorted[i] = value_at(&p, i);
            qsort(sorted, (size_t)sizes[s], sizeof sorted[0], ascending);
            int64_t at = 0, wrong = 0;
            for (int b = 0; b < histogram_bins(kind_of(&p)); b++) {
                int64_t from = at;
                while (at < sizes[s] && sorted[at] < (uint64_t)(b + 1) * width) at++;
                wrong += answer[b] != at - from;
            }
            ck_assert_int_eq(wrong, 0);
            ck_assert_int_eq(at, sizes[s]); // every value has a bin
            ck_assert(judge(&p, answer).ok);
            kl_prepared_free(&p);
        }
    }
}

static int bins_used(const kl_prepared *p, uint32_t *out_most) {
    const uint32_t *answer = p->solution;
    int used = 0;
    *out_most = 0;
    for (int b = 0; b < histogram_bins(kind_of(p)); b++) {
        used += answer[b] > 0;
        *out_most = answer[b] > *out_most ? answer[b] : *out_most;
    }
    return used;
}

KL_TEST(distributions_are_as_promised) {
    static const char *const kinds[] = {"bytes", "shorts", "ints"};
    for (int k = 0; k < 3; k++) {
        char name[32];
        uint32_t most;
        snprintf(name, sizeof name, "%s-uniform", kinds[k]);
        kl_prepared p = prepare(name, MOST, 3);
        double mean = MOST / (double)histogram_bins(kind_of(&p));
        ck_assert_int_eq(bins_used(&p, &most), histogram_bins(kind_of(&p)));
        ck_assert_double_lt(most, mean + 8 * sqrt(mean));
        kl_prepared_free(&p);
        snprintf(name, sizeof name, "%s-skewed", kinds[k]);
        p = prepare(name, MOST, 3);
        ck_assert_int_lt(bins_used(&p, &most), 30);
        ck_assert_double_eq_tol(most, MOST / 2.0, 1000); // four standard deviations
        kl_prepared_free(&p);
        snprintf(name, sizeof name, "%s-constant", kinds[k]);
        p = prepare(name, MOST, 3);
        ck_assert_int_eq(bins_used(&p, &most), 1);
        kl_prepared_free(&p);
    }
}

KL_TEST(runs_and_banks_are_as_promised) {
    kl_prepared runs = prepare("bytes-runs", MOST, 5), bank = prepare("shorts-one-bank", MOST, 5);
    uint32_t most;
    int64_t changes = 0, outside = 0;
    for (int64_t i = 1; i < MOST; i++) changes += value_at(&runs, i) != value_at(&runs, i - 1);
    ck_assert_int_le(changes, MOST / 64);
    ck_assert_int_gt(changes, MOST / 70);
    for (int64_t i = 0; i < MOST; i++) outside += (value_at(&bank, i) >> 4) % 32 != 0;
    ck_assert_int_eq(outside, 0);
    ck_assert_int_eq(bins_used(&bank, &most), 128);
    kl_prepared_free(&runs);
    kl_prepared_free(&bank);
}

// Wide loads that take the address for a multiple of 16 must fail, as must those that take values
// for aligned to more than their size.
KL_TEST(addresses_are_those_of_their_type_only) {
    for (int64_t size = 1; size < 100; size++) {
        kl_prepared bytes = prepare("bytes-offset", size, 1),
                    shorts = prepare("shorts-offset", size, 1),
                    ints = prepare("ints-offset", size, 1);
        ck_assert_uint_eq(bytes.shape.inputs[0].offset_bytes % 2, 1);
        ck_assert_uint_eq(shorts.shape.inputs[0].offset_bytes % 4, 2);
        ck_assert_uint_eq(ints.shape.inputs[0].offset_bytes % 4, 0);
        ck_assert_uint_ne(ints.shape.inputs[0].offset_bytes % 16, 0);
        kl_prepared_free(&bytes);
        kl_prepared_free(&shorts);
        kl_prepared_free(&ints);
    }
}

KL_TEST(mistakes_are_explained) {
    kl_prepared p = prepare("bytes-uniform", 1000, 1);
    const uint32_t *want = p.solution;
    size_t bytes = 256 * sizeof want[0];
    kl_verdict v = judge(&p, want);
    ck_assert(v.ok && v.compared == 256);
    memset(got, 0xff, bytes);
    v = judge(&p, got);
    ck_assert(!v.ok && isnan(v.got));
    KL_HAS(v.hint, "256 of 256 counts were never written");
    memcpy(got, want, bytes);
    got[17]--;
    v = judge(&p, got);
    ck_assert(!v.ok && v.first_wrong == 17 && v.max_error == 1);
    KL_HAS(v.hint, "add up to 999, 1 less");
    got[18]++;
    KL_HAS(judge(&p, got).hint, "wrong bin");
    got[17] += 5;
    KL_HAS(judge(&p, got).hint, "5 more than there are values");
    for (int b = 0; b < 256; b++) got[b] = 2 * want[b];
    KL_HAS(judge(&p, got).hint, "twice");
    kl_prepared_free(&p);
    p = prepare("bytes-constant", 1000, 1);
    want = p.solution;
    memcpy(got, want, bytes);
    got[want[0] == 0 ? 0 : 1] = UINT32_MAX;
    KL_HAS(judge(&p, got).hint, "bin without values must be written");
    kl_prepared_free(&p);
}

KL_TEST(seeds_make_different_inputs_and_repeat) {
    for (int f = 0; f < problem->family_count; f++) {
        kl_prepared a = prepare(problem->families[f].name, 1000, 1),
                    b = prepare(problem->families[f].name, 1000, 1),
                    c = prepare(problem->families[f].name, 1000, 2);
        ck_assert(memcmp(a.inputs[0], b.inputs[0], a.input_bytes[0]) == 0);
        ck_assert(memcmp(a.inputs[0], c.inputs[0], a.input_bytes[0]) != 0);
        kl_prepared_free(&a);
        kl_prepared_free(&b);
        kl_prepared_free(&c);
    }
}

KL_TEST(cases_out_of_range_are_refused) {
    kl_test_range(problem);
}

// Each kind of value is checked without values, and above the size from which step 6 takes its
// large tables; every step of the ladder exists.
KL_TEST(the_suite_is_complete) {
    bool empty[HISTOGRAM_KINDS] = {false}, large[HISTOGRAM_KINDS] = {false};
    for (int i = 0; i < problem->suite_count; i++) {
        const kl_suite_entry *e = &problem->suite[i];
        kl_case c;
        kl_error err;
        ck_assert_int_eq(problem->describe(e->family, e->size, 1, &c, &err), KL_OK);
        if ((e->flags & KL_CHECK) == 0) continue;
        empty[c.ints[1]] |= e->size == 0;
        large[c.ints[1]] |= e->size >= (c.ints[1] == HISTOGRAM_SHORTS ? 1 << 20 : 1 << 18);
    }
    for (int k = 0; k < HISTOGRAM_KINDS; k++) ck_assert(empty[k] && large[k]);
    ck_assert_ptr_nonnull(kl_problem_step(problem, 6));
    ck_assert_ptr_null(kl_problem_step(problem, 7));
    ck_assert_int_ge(kl_problem_family(problem, problem->timed_family), 0);
}

KL_TEST_MAIN("histogram")
