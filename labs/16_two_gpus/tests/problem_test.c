// Lab 16's references against answers by hand, and its verdicts.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "suite.h"
#include "two_gpus.h"

// A grid of 0 whose edge is 1 comes nearer to 1; one of a constant stays.
KL_TEST(grid_by_hand) {
    enum { N = 4 };
    float x[N * N];
    double value[2 * N * N], inner = 0;
    for (int i = 0; i < N * N; i++)
        x[i] = i / N == 0 || i / N == N - 1 || i % N == 0 || i % N == N - 1 ? 1.0f : 0.0f;
    two_gpus_reference_grid(x, N, value);
    for (int t = 0; t < TWO_GPUS_ITERATIONS; t++) inner = (2 + 2 * inner) / 4; // by symmetry
    ck_assert(fabs(value[N + 1] - inner) < 1e-15 && fabs(value[2 * N + 2] - inner) < 1e-15);
    ck_assert_double_eq(value[0], 1);
    for (int i = 0; i < N * N; i++) x[i] = 0.25f;
    two_gpus_reference_grid(x, N, value);
    for (int i = 0; i < N * N; i++) ck_assert_double_eq(value[i], 0.25);
}

// The two rows that a call of fetch makes: the least and the greatest of all ranks.
KL_TEST(sum_by_hand) {
    const float x[] = {0.5f, -0.25f, 0};
    double value[6];
    two_gpus_reference_sum(x, 3, value);
    for (int i = 0; i < 6; i++) ck_assert_double_eq(value[i], (double)x[i % 3]);
}

// Inputs are multiples of 2^-8 below 1: sums of the ranks' shares are exact.
KL_TEST(inputs_are_short) {
    kl_error err = {KL_OK, ""};
    kl_prepared p;
    OK(kl_prepare_case(&two_gpus_problem, 1, 1001, 1, &p, &err));
    const float *x = p.inputs[0];
    for (int i = 0; i < 1001; i++) ck_assert(fabsf(x[i]) <= 1 && x[i] * 256 == rintf(x[i] * 256));
    kl_prepared_free(&p);
}

// The right answer of a case of this family passes, and a wrong one in the last place is found.
static void check_verdicts(const char *name, int64_t size, const char *hint) {
    const kl_problem *problem = &two_gpus_problem;
    const float wrong[] = {NAN, 2.5e4f};
    kl_error err = {KL_OK, ""};
    kl_verdict v;
    kl_prepared p;
    OK(kl_prepare_case(problem, kl_problem_family(problem, name), size, 1, &p, &err));
    uint64_t elems = p.shape.outputs[0].elems;
    float *y = malloc(elems * sizeof *y);
    const void *outputs[KL_MAX_BUFFERS] = {y};
    const double *value = p.solution;
    ck_assert_ptr_nonnull(y);
    for (uint64_t i = 0; i < elems; i++) y[i] = (float)value[i];
    problem->verify(&p.shape, (const void *const *)p.inputs, p.solution, outputs, &v);
    ck_assert(v.ok && v.compared == elems);
    for (int w = 0; w < 2; w++) {
        y[elems - 1] = wrong[w];
        problem->verify(&p.shape, (const void *const *)p.inputs, p.solution, outputs, &v);
        ck_assert(!v.ok && v.first_wrong == elems - 1);
        ck_assert_msg(strstr(v.hint, hint) != NULL, "%s", v.hint);
    }
    free(y);
    kl_prepared_free(&p);
}

KL_TEST(mistakes_show) {
    check_verdicts("grid", 7, "row 6, column 6");
    check_verdicts("sum", 5, "right on one rank");
}

KL_TEST(sizes_have_bounds) {
    kl_error err = {KL_OK, ""};
    kl_case c;
    const kl_problem *problem = &two_gpus_problem;
    ck_assert_int_eq(problem->describe(0, TWO_GPUS_LEAST_GRID - 1, 1, &c, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(problem->describe(1, 0, 1, &c, &err), KL_ERROR_INPUT);
    OK(problem->describe(1, 1, 1, &c, &err));
    ck_assert_int_eq((int)c.outputs[0].elems, 2);
}

KL_TEST_MAIN("two_gpus")
