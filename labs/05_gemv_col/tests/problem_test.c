// Lab 05's problem and reference: inputs are what they promise, the answer equals a brute-force
// one, every order of additions passes, single mistakes do not, and shapes out of range are
// refused.
#include "random.h"
#include "reference.h"
#include "problem_suite.h"

static const kl_problem *const problem = &gemv_col_problem;

static kl_prepared prepare(int family, int64_t size, uint64_t seed) {
    return kl_test_case(problem, problem->families[family].name, size, seed);
}

static kl_verdict judge(const kl_prepared *p, const float *y) {
    return kl_test_verdict(problem, p, y);
}

// Element k of y in float, adding up from the last product or from the first.
static float product(const kl_prepared *p, int64_t k, bool backwards) {
    const float *a = p->inputs[0], *x = p->inputs[1];
    bool transposed = p->shape.ints[0] == GEMV_COL_ATX;
    int64_t m = p->shape.ints[1], length = transposed ? m : p->shape.ints[2];
    float sum = 0.0f;
    for (int64_t i = 0; i < length; i++) {
        int64_t at = backwards ? length - 1 - i : i;
        sum += a[transposed ? at + k * m : k + at * m] * x[at];
    }
    return sum;
}

static float *multiply(const kl_prepared *p, bool backwards) {
    uint64_t outputs = p->shape.outputs[0].elems;
    float *y = malloc(outputs * sizeof *y);
    for (uint64_t k = 0; k < outputs; k++) y[k] = product(p, (int64_t)k, backwards);
    return y;
}

static const int64_t sizes[] = {1, 2, 3, 8, 31, 64, 101};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

KL_TEST(every_order_of_additions_passes) {
    for (int f = 0; f < problem->family_count; f++) {
        for (int s = 0; s < SIZES; s++) {
            kl_prepared p = prepare(f, sizes[s], 7);
            for (int backwards = 0; backwards < 2; backwards++) {
                float *y = multiply(&p, backwards != 0);
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
        kl_prepared p = prepare(f, 40, 9);
        uint64_t outputs = p.shape.outputs[0].elems;
        float *y = multiply(&p, false);
        for (uint64_t k = 0; k < outputs; k += 3) {
            float right = y[k];
            y[k] = isfinite(right) ? right + 1.0f : 0.0f;
            kl_verdict v = judge(&p, y);
            ck_assert(!v.ok);
            ck_assert_uint_eq(v.first_wrong, k);
            if (!isnan(right)) {
                y[k] = NAN; // an element that was never written
                ck_assert(!judge(&p, y).ok);
            }
            y[k] = right;
        }
        free(y);
        kl_prepared_free(&p);
    }
}

KL_TEST(the_other_order_is_explained) {
    kl_prepared p = prepare(kl_problem_family(problem, "ax-square"), 40, 9);
    const float *a = p.inputs[0], *x = p.inputs[1];
    float *y = multiply(&p, false);
    y[3] = 0.0f;
    for (int k = 0; k < 40; k++) y[3] += a[3 * 40 + k] * x[k];
    KL_HAS(judge(&p, y).hint, "it is column-major");
    free(y);
    kl_prepared_free(&p);
}

// Sums of magnitudes stay below 2^24, so the bound may be 0; no factor is 0, so that each shows.
KL_TEST(integer_cases_are_exact) {
    static const char *const families[] = {"ax-square", "atx-wide", "ax-odd", "atx-offset"};
    for (int f = 0; f < 4; f++) {
        kl_prepared p = prepare(kl_problem_family(problem, families[f]), 300, 5);
        const float *a = p.inputs[0], *x = p.inputs[1];
        for (uint64_t i = 0; i < p.shape.inputs[0].elems; i += 17)
            ck_assert(a[i] == rintf(a[i]) && a[i] != 0.0f && fabsf(a[i]) <= 7.0f);
        for (uint64_t i = 0; i < p.shape.inputs[1].elems; i++)
            ck_assert(x[i] == rintf(x[i]) && x[i] != 0.0f && fabsf(x[i]) <= 7.0f);
        const double *answer = p.solution;
        ck_assert_double_eq(answer[p.shape.outputs[0].elems], 0.0);
        kl_prepared_free(&p);
    }
}

KL_TEST(special_values_stay_in_their_lines) {
    for (int f = 0; f < 2; f++) {
        int family = kl_problem_family(problem, f == 0 ? "ax-special" : "atx-special");
        kl_prepared p = prepare(family, 40, 3);
        const double *want = p.solution;
        for (uint64_t k = 0; k < p.shape.outputs[0].elems; k++) {
            ck_assert(isnan(want[k]) == (k == 3 || k == 7));
            ck_assert(isinf(want[k]) == (k == 5));
        }
        kl_prepared_free(&p);
    }
}

KL_TEST(shapes_out_of_range_are_refused) {
    static const int64_t bad[] = {-1, 0, (INT64_C(1) << 24) + 1, INT64_C(1) << 40};
    kl_case shape;
    for (int f = 0; f < problem->family_count; f++) {
        for (size_t s = 0; s < sizeof bad / sizeof bad[0]; s++) {
            kl_error err = {KL_OK, ""};
            ck_assert_int_eq(problem->describe(f, bad[s], 1, &shape, &err), KL_ERROR_INPUT);
        }
    }
    gemv_col_task task = {.op = GEMV_COL_AX, .m = 4, .n = 4};
    task.workspace_bytes = gemv_col_workspace_bytes(4, 4);
    ck_assert(gemv_col_is_valid(&task));
    task.workspace_bytes--;
    ck_assert(!gemv_col_is_valid(&task));
    task = (gemv_col_task){.m = INT64_MAX, .n = INT64_MAX, .workspace_bytes = SIZE_MAX};
    ck_assert(!gemv_col_is_valid(&task));
    task =
        (gemv_col_task){.m = 1 << 20, .n = 1 << 12, .workspace_bytes = SIZE_MAX}; // 2^32 elements
    ck_assert(!gemv_col_is_valid(&task));
    task = (gemv_col_task){.op = (gemv_col_op)2, .m = 4, .n = 4, .workspace_bytes = SIZE_MAX};
    ck_assert(!gemv_col_is_valid(&task));
}

KL_TEST_MAIN("gemv_col")
