// Lab 08's problem and reference: the lecture's example, matrices as described, bounds, and
// mistakes that verify finds.
#include <float.h>

#include "problem.h"
#include "reference.h"
#include "problem_suite.h"

extern const kl_problem spmv_problem;

static kl_error err;

static kl_prepared make(const char *family, int64_t size) {
    return kl_test_case(&spmv_problem, family, size, 7);
}

// The verdict on an output that begins with the elements of `y` as the case's type has them.
static kl_verdict judge(const kl_prepared *p, const void *y) {
    return kl_test_verdict(&spmv_problem, p, y);
}

KL_TEST(the_lectures_example) {
    static const int32_t ptr[] = {0, 2, 4, 7, 8}, col[] = {0, 1, 1, 3, 2, 3, 4, 5};
    kl_prepared p = make("lecture", 1);
    ck_assert_int_eq(p.shape.ints[0], 4);
    ck_assert_int_eq(p.shape.ints[1], 6);
    ck_assert_mem_eq(p.inputs[0], ptr, sizeof ptr);
    ck_assert_mem_eq(p.inputs[1], col, sizeof col);
    const float *val = p.inputs[2], *x = p.inputs[3];
    for (int k = 0; k < 8; k++) ck_assert(val[k] == 10.0f * (float)(k + 1));
    const double *y = p.solution;
    ck_assert(y[0] == 10 * x[0] + 20 * x[1]);
    ck_assert(y[2] == 50 * x[2] + 60 * x[3] + 70 * x[4]);
    ck_assert(y[3] == 80 * x[5]);
    kl_prepared_free(&p);
}

// `generate` refuses a matrix whose numbers differ from the description; here each family in small
// sizes.
KL_TEST(matrices_are_as_described) {
    static const int64_t sizes[] = {1, 2, 3, 5, 16, 17, 64, 100, 321};
    for (int f = 0; f < spmv_problem.family_count; f++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            kl_prepared p = make(spmv_problem.families[f].name, sizes[s]);
            const int32_t *ptr = p.inputs[0], *col = p.inputs[1];
            ck_assert_int_eq(ptr[0], 0);
            ck_assert_int_eq(ptr[p.shape.ints[0]], p.shape.ints[2]);
            for (int64_t i = 0; i < p.shape.ints[0]; i++) ck_assert_int_le(ptr[i], ptr[i + 1]);
            for (int64_t k = 0; k < p.shape.ints[2]; k++)
                ck_assert(col[k] >= 0 && col[k] < p.shape.ints[1]);
            kl_prepared_free(&p);
        }
    }
}

KL_TEST(more_entries_than_an_index_can_count_are_refused) {
    kl_case c;
    int family = kl_problem_family(&spmv_problem, "long-rows");
    ck_assert_int_eq(spmv_problem.describe(family, 1 << 25, 7, &c, &err), KL_OK);
    ck_assert_int_ne(spmv_problem.describe(family, 1 << 26, 7, &c, &err), KL_OK);
}

KL_TEST(a_bound_is_zero_only_where_nothing_rounds) {
    int32_t ptr[] = {0, 3, 3, 6}, col[] = {0, 1, 2, 0, 1, 2};
    double val[] = {0.5, -1.25, 3.0, 0.1, 0.2, 0.3}, x[] = {2, -1, 3}, y[3], bound[3];
    kl_csr csr = {3, 3, 6, ptr, col, val};
    spmv_reference(&csr, x, SPMV_FLOAT, y, bound);
    ck_assert(y[0] == 0.5 * 2 + 1.25 + 9 && bound[0] == 0);
    ck_assert(y[1] == 0 && bound[1] == 0); // an empty row
    ck_assert(bound[2] > 0 && bound[2] < 1e-5);
    float sum = 0.0f;
    for (int k = 5; k >= 3; k--) sum += (float)val[k] * (float)x[col[k]];
    ck_assert(fabs((double)sum - y[2]) <= bound[2]);
    val[0] = 1 << 24; // a multiple of the unit, but the sum needs more than 24 bits
    spmv_reference(&csr, x, SPMV_FLOAT, y, bound);
    ck_assert(bound[0] > 0);
    double of_float = bound[0];
    spmv_reference(&csr, x, SPMV_DOUBLE, y, bound);
    ck_assert(bound[0] > 0 && bound[0] < 1e-6 * of_float); // units of double are finer, too
    val[0] = 1024;
    spmv_reference(&csr, x, SPMV_DOUBLE, y, bound);
    ck_assert(bound[0] == 0);
}

KL_TEST(mistakes_are_found) {
    kl_prepared p = make("empty-rows", 200);
    int64_t rows = p.shape.ints[0];
    float *y = malloc((size_t)rows * sizeof *y);
    ck_assert_ptr_nonnull(y);
    for (int64_t i = 0; i < rows; i++) y[i] = (float)((const double *)p.solution)[i];
    ck_assert(judge(&p, y).ok);
    y[rows - 1] += 0.0625f; // the last row by the smallest difference that a product can make
    kl_verdict verdict = judge(&p, y);
    ck_assert(!verdict.ok && verdict.first_wrong == (uint64_t)rows - 1);
    y[rows - 1] -= 0.0625f;
    y[0] = NAN; // an empty row that nobody has written
    verdict = judge(&p, y);
    ck_assert(!verdict.ok && verdict.first_wrong == 0);
    KL_HAS(verdict.hint, "empty row");
    free(y);
    kl_prepared_free(&p);
}

KL_TEST(doubles_rounded_to_float_are_wrong) {
    static const char *const families[] = {"stencil-f64", "uniform-f64", "rmat-f64"};
    for (int f = 0; f < 3; f++) {
        kl_prepared p = make(families[f], 16);
        int64_t rows = p.shape.ints[0];
        double *y = malloc((size_t)rows * sizeof *y);
        ck_assert_ptr_nonnull(y);
        memcpy(y, p.solution, (size_t)rows * sizeof *y);
        ck_assert(judge(&p, y).ok);
        for (int64_t i = 0; i < rows; i++) y[i] = (float)y[i];
        kl_verdict verdict = judge(&p, y);
        ck_assert(!verdict.ok);
        KL_HAS(verdict.hint, "as if float had been used");
        free(y);
        kl_prepared_free(&p);
    }
}

KL_TEST(sizes_are_told_in_their_unit) {
    kl_prepared grid = make("stencil", 16), rows = make("uniform", 16);
    char text[96];
    ck_assert_str_eq(kl_case_title(&spmv_problem, &grid.shape, text, sizeof text),
                     "stencil, 16 points a side");
    ck_assert_str_eq(kl_case_title(&spmv_problem, &rows.shape, text, sizeof text),
                     "uniform, 16 rows");
    kl_prepared_free(&grid);
    kl_prepared_free(&rows);
}

KL_TEST(without_rows_nothing_is_written) {
    kl_prepared p = make("no-entries", 0);
    uint32_t word = 0xFFFFFFFFu; // as it is poisoned
    ck_assert(judge(&p, &word).ok);
    word = 0;
    ck_assert(!judge(&p, &word).ok);
    kl_prepared_free(&p);
}

KL_TEST_MAIN("spmv")
