// The problem of the lab, and the padding of tiles.
#include "reference.h"
#include "problem_suite.h"
#include "suite.h"

// ---- problem ----
// Lab 07's reference: answers that can be had by hand, its error bounds against their derivation,
// and verdicts: float arithmetic in any order passes, a single mistake does not, neither where
// every element is compared nor by probes.

static kl_error err;

static kl_prepared prepare(const char *family, int64_t size) {
    return kl_test_case(&gemm_problem, family, size, 11);
}

static kl_verdict judge(const kl_prepared *p, const float *c) {
    kl_verdict verdict = kl_test_verdict(&gemm_problem, p, c);
    ck_assert_uint_gt(verdict.compared, 0);
    return verdict;
}

static double gamma_of(int64_t k) {
    return (double)k * 0x1p-24 / (1.0 - (double)k * 0x1p-24);
}

// C = alpha A B + beta D in float, the products added up from the first or from the last.
static float *multiply(const kl_prepared *p, bool backwards) {
    int64_t m = p->shape.ints[0], n = p->shape.ints[1], k = p->shape.ints[2];
    const float *a = p->inputs[0], *b = p->inputs[1], *d = p->inputs[2];
    float *c = calloc((size_t)(m * n) + 1, sizeof *c);
    ck_assert_ptr_nonnull(c);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t q = 0; q < k; q++) {
            int64_t at = backwards ? k - 1 - q : q;
            for (int64_t i = 0; i < m; i++) c[j * m + i] += a[at * m + i] * b[j * k + at];
        }
    }
    for (int64_t at = 0; at < m * n && p->shape.input_count > 2; at++)
        c[at] = (float)p->shape.reals[0] * c[at] + (float)p->shape.reals[1] * d[at];
    return c;
}

// Columns first: A = (1 2; 3 4; 5 6), B = (7 8 9 10; 11 12 13 14).
KL_TEST(a_product_by_hand) {
    static const float a[] = {1, 3, 5, 2, 4, 6}, b[] = {7, 11, 8, 12, 9, 13, 10, 14};
    static const double want[] = {29, 65, 101, 32, 72, 112, 35, 79, 123, 38, 86, 134};
    gemm_check g = {.m = 3, .n = 4, .k = 2, .a = a, .b = b, .alpha = 1};
    double answer[24];
    ck_assert_uint_eq(gemm_answer_doubles(3, 4, 2), 24);
    ck_assert_int_eq(gemm_solve(&g, answer, &err), KL_OK);
    for (int i = 0; i < 12; i++) { // all positive: the sum of the magnitudes is the element itself
        ck_assert_double_eq(answer[i], want[i]);
        ck_assert_double_ge(answer[12 + i], gamma_of(3) * want[i]);
        ck_assert_double_le(answer[12 + i], (gamma_of(3) + 0x1p-39) * want[i]);
    }
    g.exact = true;
    ck_assert_int_eq(gemm_solve(&g, answer, &err), KL_OK);
    for (int i = 0; i < 12; i++) {
        ck_assert_double_eq(answer[i], want[i]);
        ck_assert_double_eq(answer[12 + i], 0.0);
    }
}

// -1 * 2 + 3 * 4, cancelled by beta D: the bound follows the magnitudes, not the result.
KL_TEST(alpha_and_beta_by_hand) {
    static const float a[] = {-1, 3}, b[] = {2, 4}, d[] = {20};
    const gemm_check g = {
        .m = 1, .n = 1, .k = 2, .a = a, .b = b, .alpha = 1.5f, .beta = -0.75f, .d = d};
    double answer[2];
    ck_assert_int_eq(gemm_solve(&g, answer, &err), KL_OK);
    ck_assert_double_eq(answer[0], 1.5 * 10 - 0.75 * 20);
    ck_assert_double_ge(answer[1], gamma_of(5) * (1.5 * 14 + 15));
    ck_assert_double_le(answer[1], (gamma_of(5) + 0x1p-38) * (1.5 * 14 + 15));
}

// The bound covers any order.
KL_TEST(float_in_any_order_passes) {
    static const char *const families[] = {"square", "rectangle", "flat", "thin",
                                           "dot",    "outer",     "slab", "scaled"};
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        for (int64_t size = 1; size <= 130; size = 3 * size + 1) {
            kl_prepared p = prepare(families[f], size);
            for (int backwards = 0; backwards < 2; backwards++) {
                float *c = multiply(&p, backwards != 0);
                kl_verdict v = judge(&p, c);
                ck_assert_msg(v.ok, "%s %lld: %g instead of %g", families[f], (long long)size,
                              v.got, v.expected);
                free(c);
            }
            kl_prepared_free(&p);
        }
    }
}

KL_TEST(integers_must_be_exact) {
    kl_prepared p = prepare("integers", 40);
    float *c = multiply(&p, false);
    kl_verdict v = judge(&p, c);
    ck_assert(v.ok && v.max_error == 0.0);
    c[7] = nextafterf(c[7], INFINITY);
    v = judge(&p, c);
    ck_assert(!v.ok && v.first_wrong == 7 && v.bound == 0.0);
    free(c);
    kl_prepared_free(&p);
}

// One matrix or both read as if rows lay side by side in memory.
KL_TEST(the_other_order_is_explained) {
    static const char *const which[] = {"if A lay", "if B lay", "if A and B lay"};
    kl_prepared p = prepare("square", 33);
    const float *a = p.inputs[0], *b = p.inputs[1];
    float *c = multiply(&p, false);
    for (int wrong = 1; wrong < 4; wrong++) { // element (1, 0)
        double sum = 0.0;
        for (int k = 0; k < 33; k++)
            sum += (double)a[wrong & 1 ? 33 + k : 33 * k + 1] * (double)b[wrong & 2 ? 33 * k : k];
        c[1] = (float)sum;
        kl_verdict v = judge(&p, c);
        ck_assert_msg(!v.ok && strstr(v.hint, which[wrong - 1]), "%s", v.hint);
    }
    free(c);
    kl_prepared_free(&p);
}

// Each mistake in an otherwise right result; `size` decides whether all is compared (520^3 > 2^27
// is probed).
static void expect_mistakes_shown(int64_t size) {
    kl_prepared p = prepare("square", size);
    const float *a = p.inputs[0], *b = p.inputs[1];
    float *c = multiply(&p, false);
    uint64_t at =
        (uint64_t)(size * (size / 2) + size / 3); // no row or column that is always compared
    ck_assert(judge(&p, c).ok);
    const float right = c[at];
    const float wrong[] = {NAN, INFINITY, 0.0f, -right, right + 1.0f};
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        c[at] = wrong[w];
        kl_verdict v = judge(&p, c);
        ck_assert_msg(!v.ok, "%g for %g", (double)wrong[w], (double)right);
        ck_assert_uint_eq(v.first_wrong, at);
    }
    c[at] = right;
    // Of two equal errors in a row one pair, of equal or of opposite signs, cancels under every x
    // whose elements are +-1.
    const uint64_t other = at + 7 * (uint64_t)size;
    for (float second = -1.0f; second <= 1.0f; second += 2.0f) {
        const float kept = c[other];
        c[at] = right + 1.0f;
        c[other] = kept + second;
        ck_assert(!judge(&p, c).ok);
        c[at] = right;
        c[other] = kept;
    }
    for (int64_t i = 0; i < size; i++) c[i] -= a[i] * b[0]; // a product that is missing in a column
    ck_assert(!judge(&p, c).ok);
    free(c);
    kl_prepared_free(&p);
}

KL_TEST(mistakes_show_where_all_is_compared) {
    expect_mistakes_shown(33);
}

KL_TEST(mistakes_show_where_rows_are_probed) {
    ck_assert_uint_lt(gemm_answer_doubles(520, 520, 520), 2 * 520 * 520);
    expect_mistakes_shown(520);
}

KL_TEST(an_empty_result_is_left_alone) {
    kl_prepared p = prepare("no-rows", 5);
    float word;
    memset(&word, 0xFF, sizeof word);
    ck_assert(judge(&p, &word).ok);
    word = 0.0f;
    ck_assert(!judge(&p, &word).ok);
    kl_prepared_free(&p);
    p = prepare("no-depth", 3); // not empty: nothing to add up, so all is 0
    float c[9] = {0};
    ck_assert(judge(&p, c).ok);
    c[8] = 1e-30f;
    ck_assert(!judge(&p, c).ok);
    kl_prepared_free(&p);
}

// ---- padding ----
// Lab 07's computing what padding costs (reference.h), and what its problem tells of it.

KL_TEST(whole_tiles_need_no_padding) {
    static const int64_t whole[] = {128, 1024, 2048, 4096, 8192};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        double n = (double)whole[i];
        ck_assert_double_eq(gemm_padded_ops(whole[i], whole[i], whole[i]), 2.0 * n * n * n);
    }
}

KL_TEST(each_side_is_rounded_up_to_its_tile) {
    ck_assert_double_eq(gemm_padded_ops(129, 128, 17), 2.0 * 160 * 128 * 24); // of 32 x 128
    ck_assert_double_eq(gemm_padded_ops(128, 65, 16), 2.0 * 128 * 128 * 16);
    ck_assert_double_eq(gemm_padded_ops(256, 33, 16),
                        2.0 * 256 * 64 * 16); // of 64 x 64, 128 x 64 or 256 x 32
    ck_assert_double_eq(gemm_padded_ops(33, 256, 16), 2.0 * 64 * 256 * 16);
    ck_assert_double_eq(gemm_padded_ops(300, 5000, 1000), 2.0 * 320 * 5056 * 1000);
    ck_assert_double_eq(gemm_padded_ops(4097, 4097, 4097), 2.0 * 4160 * 4160 * 4104);
    ck_assert_double_eq(gemm_padded_ops(17, 9, 2), 2.0 * 64 * 64 * 8);
}

KL_TEST(slim_products_are_not_computed_in_tiles) {
    static const int64_t shapes[][3] = {{1, 900, 900}, {16, 900, 900}, {900, 1, 900}, {900, 4, 900},
                                        {900, 900, 1}, {900, 900, 0},  {0, 900, 900}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        ck_assert_double_eq(gemm_padded_ops(shapes[i][0], shapes[i][1], shapes[i][2]), 0.0);
}

// The share of every timed case of tiles lies in (0, 1], and is 1 where the sides are multiples.
KL_TEST(the_problem_tells_the_share_of_its_cases) {
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

KL_TEST_MAIN("problem")
