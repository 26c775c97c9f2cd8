// Lab 04's problem and reference: inputs are what they promise, every order of additions passes,
// single mistakes do not, sizes out of range are refused.
#include "gemv_row.h"
#include "random.h"
#include "reference.h"
#include "problem_suite.h"

static const kl_problem *const problem = &gemv_row_problem;

static kl_prepared prepare(const char *family, int64_t size, uint64_t seed) {
    return kl_test_case(problem, family, size, seed);
}

static kl_verdict judge(const kl_prepared *p, const float *y) {
    return kl_test_verdict(problem, p, y);
}

// Row i in float, the columns in `parts` interleaved partial sums.
static float row_sum(const kl_prepared *p, int64_t i, int64_t parts) {
    const float *a = p->inputs[0], *x = p->inputs[1];
    int64_t n = p->shape.ints[1];
    float sum = 0.0f;
    for (int64_t part = 0; part < parts; part++) {
        float partial = 0.0f;
        for (int64_t j = part; j < n; j += parts) partial += a[i * n + j] * x[j];
        sum = part == 0 ? partial : sum + partial;
    }
    return sum;
}

enum { MOST_ROWS = 400 };

static void answer(const kl_prepared *p, int64_t parts, float y[MOST_ROWS]) {
    ck_assert_int_le(p->shape.ints[0], MOST_ROWS);
    for (int64_t i = 0; i < p->shape.ints[0]; i++) y[i] = row_sum(p, i, parts);
}

static const struct {
    const char *family;
    int64_t size, rows, cols;
} cases[] = {
    {"cpu", 40, 40, 40},        {"square", 1, 1, 1},      {"square", 257, 257, 257},
    {"real", 129, 129, 129},    {"odd", 259, 132, 259},   {"wide", 1025, 3, 1025},
    {"one-row", 4099, 1, 4099}, {"tall", 300, 300, 13},   {"one-column", 33, 33, 1},
    {"offset", 64, 64, 64},     {"offset-x", 64, 64, 64}, {"infinite", 40, 40, 40},
};
enum { CASES = sizeof cases / sizeof cases[0] };

KL_TEST(shapes_are_as_described_and_every_order_passes) {
    static const int64_t parts[] = {1, 2, 16, 32, 256};
    float y[MOST_ROWS];
    for (int k = 0; k < CASES; k++) {
        kl_prepared p = prepare(cases[k].family, cases[k].size, 7);
        ck_assert_int_eq(p.shape.ints[0], cases[k].rows);
        ck_assert_int_eq(p.shape.ints[1], cases[k].cols);
        for (int s = 0; s < 5; s++) {
            answer(&p, parts[s], y);
            ck_assert_msg(judge(&p, y).ok, "%s in %lld parts", cases[k].family,
                          (long long)parts[s]);
        }
        kl_prepared_free(&p);
    }
}

KL_TEST(a_lost_or_double_product_shows) {
    float y[MOST_ROWS];
    for (int k = 0; k < CASES; k++) {
        kl_prepared p = prepare(cases[k].family, cases[k].size, 3);
        const float *a = p.inputs[0], *x = p.inputs[1];
        int64_t rows = cases[k].rows, cols = cases[k].cols;
        for (uint64_t trial = 0; trial < 40; trial++) {
            int64_t i = (int64_t)(kl_random_u64(1, trial) % (uint64_t)rows);
            int64_t j = (int64_t)(kl_random_u64(2, trial) % (uint64_t)cols);
            float product = a[i * cols + j] * x[j];
            ck_assert(product != 0.0f);
            answer(&p, 1, y);
            if (!isfinite(y[i]) || strcmp(cases[k].family, "real") == 0) continue;
            y[i] -= product;
            ck_assert(!judge(&p, y).ok);
            y[i] += 2 * product;
            ck_assert(!judge(&p, y).ok);
        }
        kl_prepared_free(&p);
    }
}

KL_TEST(infinities_stay_in_their_rows) {
    float y[MOST_ROWS];
    kl_prepared p = prepare("infinite", 40, 5);
    answer(&p, 1, y);
    for (int i = 0; i < 40; i++) ck_assert_int_eq(isinf(y[i]) != 0, i % 3 == 0);
    y[3] = -y[3];
    ck_assert(!judge(&p, y).ok);
    y[3] = NAN;
    ck_assert(!judge(&p, y).ok);
    kl_prepared_free(&p);
}

KL_TEST(mistakes_are_explained) {
    float y[MOST_ROWS];
    kl_prepared p = prepare("square", 257, 1);
    const float *a = p.inputs[0], *x = p.inputs[1];
    answer(&p, 1, y);
    ck_assert_str_eq(judge(&p, y).hint, "");
    for (int row = 100; row < 102; row++) y[row] -= a[row * 257 + 256] * x[256];
    KL_HAS(judge(&p, y).hint, "last full group");
    answer(&p, 1, y);
    y[100] = NAN;
    ck_assert_str_eq(judge(&p, y).hint, "row 100");
    memset(&y[100], 0xFF, sizeof *y);
    ck_assert_str_eq(judge(&p, y).hint, "row 100");
    answer(&p, 1, y);
    for (int i = 1; i < 16; i++) y[i] = y[0]; // the paper's last line
    KL_HAS(judge(&p, y).hint, "first row of 16");
    kl_prepared_free(&p);
}

KL_TEST(sizes_out_of_range_are_refused) {
    kl_case c;
    kl_error err;
    int square = kl_problem_family(problem, "square"), row = kl_problem_family(problem, "one-row");
    ck_assert_int_eq(problem->describe(-1, 1, 1, &c, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(problem->describe(square, 0, 1, &c, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(problem->describe(square, 46342, 1, &c, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(problem->describe(square, 46340, 1, &c, &err), KL_OK);
    ck_assert_int_eq(problem->describe(row, INT64_C(1) << 30, 1, &c, &err), KL_OK);
    ck_assert_int_eq(problem->describe(row, (INT64_C(1) << 30) + 1, 1, &c, &err), KL_ERROR_INPUT);
}

KL_TEST(the_contract_knows_its_limits) {
    const int64_t most = INT64_C(1) << 30;
    const size_t enough = GEMV_ROW_WORKSPACE_BYTES;
    ck_assert(gemv_row_valid(1, 1, enough) && gemv_row_valid(2, most, enough));
    ck_assert(!gemv_row_valid(0, 1, enough) && !gemv_row_valid(1, 0, enough));
    ck_assert(!gemv_row_valid(-1, 5, enough) && !gemv_row_valid(5, -1, enough));
    ck_assert(!gemv_row_valid(3, most, enough) && !gemv_row_valid(most + 1, 1, enough));
    ck_assert(!gemv_row_valid(INT64_MAX, INT64_MAX, enough));
    ck_assert(!gemv_row_valid(1, 1, enough - 1));
    ck_assert_uint_eq(gemv_row_pitch(1), 32);
    ck_assert_uint_eq(gemv_row_pitch(8), 32);
    ck_assert_uint_eq(gemv_row_pitch(9), 64);
    ck_assert(gemv_row_fits_texture(65000, 1) && !gemv_row_fits_texture(65001, 1));
    ck_assert(gemv_row_fits_texture(1, 524280) && !gemv_row_fits_texture(1, 524281));
    ck_assert_uint_eq(gemv_row_prepared_bytes(65001, 1), 512);
}

KL_TEST_MAIN("gemv_row")
