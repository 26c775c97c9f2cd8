// Lab 06's problem and reference: every order of additions passes, single mistakes do not, special
// values give what the contract says, and shapes and arguments out of range are refused.
#include "random.h"
#include "reference.h"
#include "problem_suite.h"

static const kl_problem *const problem = &softmax_problem;

static kl_prepared prepare(const char *family, int64_t size, uint64_t seed) {
    return kl_test_case(problem, family, size, seed);
}

static kl_verdict judge(const kl_prepared *p, const float *y) {
    return kl_test_verdict(problem, p, y);
}

// One row in float, adding up from the last element or from the first.
static void softmax_row(const float *x, int64_t columns, bool backwards, float *y) {
    float most = -INFINITY, sum = 0.0f;
    for (int64_t j = 0; j < columns; j++) most = fmaxf(most, x[j]);
    for (int64_t j = 0; j < columns; j++) sum += expf(x[backwards ? columns - 1 - j : j] - most);
    for (int64_t j = 0; j < columns; j++) y[j] = expf(x[j] - most) * (1.0f / sum);
}

static float *answer(const kl_prepared *p, bool backwards) {
    const int64_t rows = p->shape.ints[0], columns = p->shape.ints[1];
    float *y = malloc((size_t)(rows * columns) * sizeof *y);
    for (int64_t r = 0; r < rows; r++)
        softmax_row((const float *)p->inputs[0] + r * columns, columns, backwards, y + r * columns);
    return y;
}

KL_TEST(every_order_of_additions_passes) {
    static const int64_t sizes[] = {1, 2, 3, 8, 31, 100};
    for (int f = 0; f < problem->family_count; f++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            kl_prepared p = prepare(problem->families[f].name, sizes[s], 7);
            for (int backwards = 0; backwards < 2; backwards++) {
                float *y = answer(&p, backwards != 0);
                kl_verdict v = judge(&p, y);
                ck_assert_msg(v.ok, "%s, size %lld: %s", problem->families[f].name,
                              (long long)sizes[s], v.hint);
                ck_assert_uint_eq(v.compared, p.shape.outputs[0].elems);
                free(y);
            }
            kl_prepared_free(&p);
        }
    }
}

KL_TEST(single_mistakes_show) {
    for (int f = 0; f < problem->family_count; f++) {
        kl_prepared p = prepare(problem->families[f].name, 40, 9);
        float *y = answer(&p, false);
        const uint64_t elems = p.shape.outputs[0].elems;
        for (uint64_t k = 0; k < elems; k += elems / 40 | 1) {
            const float right = y[k];
            y[k] = isnan(right) ? 0.5f : right * 1.001f + 1e-30f;
            kl_verdict v = judge(&p, y);
            ck_assert(!v.ok);
            ck_assert_uint_eq(v.first_wrong, k);
            if (!isnan(right)) {
                y[k] = NAN; // an element that was never written
                ck_assert(!judge(&p, y).ok);
            }
            y[k] = right;
        }
        ck_assert(judge(&p, y).ok);
        free(y);
        kl_prepared_free(&p);
    }
}

// Of a large matrix some rows are compared element by element, the sum of each of the others.
KL_TEST(no_row_of_a_large_matrix_is_left_out) {
    kl_prepared p = prepare("rows-2048", 2050, 3);
    const int64_t rows = p.shape.ints[0], columns = p.shape.ints[1];
    ck_assert_int_lt(softmax_compared_rows(rows, columns), rows);
    float *y = answer(&p, false);
    ck_assert(judge(&p, y).ok);
    for (int64_t r = 0; r < rows; r += 409) {
        float *element = &y[r * columns + r % columns];
        const float right = *element;
        *element = right + 0.01f;
        kl_verdict v = judge(&p, y);
        ck_assert_msg(!v.ok, "row %lld", (long long)r);
        ck_assert_int_eq((int64_t)v.first_wrong / columns, r);
        ck_assert_uint_le(v.compared, (uint64_t)((r + 1) * columns));
        ck_assert_uint_gt(v.compared, (uint64_t)(r * columns));
        float *last = &y[(rows - 1) * columns];
        const float last_right = *last;
        *last = last_right + 0.01f; // of two wrong rows the first is told
        ck_assert_int_eq((int64_t)judge(&p, y).first_wrong / columns, r);
        *last = last_right;
        *element = right;
    }
    free(y);
    kl_prepared_free(&p);
}

KL_TEST(special_values_give_what_the_contract_says) {
    static const char *const families[] = {"infinities", "nans"};
    for (int f = 0; f < 2; f++) {
        kl_prepared p = prepare(families[f], 50, 5);
        const float *x = p.inputs[0];
        const softmax_row_answer *want = p.solution;
        const int64_t rows = p.shape.ints[0], columns = p.shape.ints[1];
        int64_t spoiled = 0, zeros = 0;
        for (int64_t r = 0; r < rows; r++) {
            bool bad = false, finite = false;
            for (int64_t j = 0; j < columns; j++) {
                const float value = x[r * columns + j];
                bad = bad || isnan(value) || value == INFINITY;
                finite = finite || isfinite(value);
                zeros += value == -INFINITY;
            }
            ck_assert(isnan(want[r].sum) == (bad || !finite));
            spoiled += bad || !finite;
        }
        ck_assert(spoiled > 0 && spoiled < rows); // the others must not notice
        ck_assert(f == 1 || zeros > 0);
        kl_prepared_free(&p);
    }
}

KL_TEST(shapes_out_of_range_are_refused) {
    static const int64_t bad[] = {-1, 0, (INT64_C(1) << 29) + 1, INT64_C(1) << 40, INT64_MAX};
    kl_case shape;
    for (int f = 0; f < problem->family_count; f++) {
        for (size_t s = 0; s < sizeof bad / sizeof bad[0]; s++) {
            kl_error err = {KL_OK, ""};
            ck_assert_int_eq(problem->describe(f, bad[s], 1, &shape, &err), KL_ERROR_INPUT);
        }
    }
}

KL_TEST(arguments_out_of_range_are_refused) {
    static _Alignas(16) float x[8], y[8];
    ck_assert(!softmax_refuses(x, 2, 4, y));
    ck_assert(!softmax_refuses(x + 1, 1, 4, y)); // x may begin anywhere
    ck_assert(!softmax_refuses(x, INT64_C(1) << 20, INT64_C(1) << 20, y));
    ck_assert(softmax_refuses(x, 0, 4, y) && softmax_refuses(x, 2, 0, y));
    ck_assert(softmax_refuses(x, -1, 4, y) && softmax_refuses(x, 2, -4, y));
    ck_assert(softmax_refuses(x, INT64_C(1) << 31, 1, y));
    ck_assert(softmax_refuses(x, 1, INT64_C(1) << 31, y));
    ck_assert(softmax_refuses(x, (INT64_C(1) << 20) + 1, INT64_C(1) << 20, y));
    ck_assert(softmax_refuses(x, INT64_MAX, INT64_MAX, y));
    ck_assert(softmax_refuses(NULL, 2, 4, y) && softmax_refuses(x, 2, 4, NULL));
    ck_assert(softmax_refuses((const float *)((const char *)x + 2), 1, 4, y));
    ck_assert(softmax_refuses(x, 1, 4, y + 1)); // y must be aligned for 16-byte stores
}

KL_TEST_MAIN("softmax")
