// Lab 00's reference answers against their definitions, and its verdicts.
#include "reference.h"
#include "suite.h"

static kl_error err;

KL_TEST(references_follow_the_contract) {
    const float x[4] = {1.0f, 1.5f, 1.25f, 1.75f};
    const uint8_t index[2] = {255, 3};
    float table[FIRST_KERNEL_TABLE] = {0};
    double value[4], bound[4];
    double coefs[FIRST_KERNEL_COEFS] = {1, 2, 0, 0, 0, 0, 0, 0.5};
    table[255] = 7.0f;
    table[3] = -1.0f;
    first_kernel_reference_difference(x, 4, value, bound);
    ck_assert(value[0] == 1.0 && value[1] == 0.5 && value[2] == -0.25 && bound[3] == 0.0);
    first_kernel_reference_polynomial(x, 2, coefs, value, bound);
    ck_assert(value[0] == 3.5 && fabs(value[1] - (4.0 + 0.5 * pow(1.5, 7))) < 1e-12);
    ck_assert(bound[0] > 3.5 * 14 * 0x1p-24 && bound[0] < 3.5 * 15 * 0x1p-24);
    first_kernel_reference_lookup(index, 2, table, value, bound);
    ck_assert(value[0] == 7.0 && value[1] == -1.0);
    first_kernel_reference_paths(x, 2, 2, value, bound);
    ck_assert(value[0] == (1.0 / 2 + 1) / 2 + 1);
    ck_assert(fabs(value[1] - sqrt(sqrt(3.0) + 1.5)) < 1e-15);
}

// The float arithmetic that kernels do keeps the bounds, after any number of rounds.
KL_TEST(float_arithmetic_keeps_the_bounds) {
    for (int rounds = 0; rounds <= 200; rounds = 3 * rounds + 1) {
        for (int k = 0; k < 1000; k++) {
            float x[2] = {1.0f + (float)k / 1000, 1.0f + (float)k / 1000};
            double value[2], bound[2];
            float even = x[0], odd = x[1];
            for (int r = 0; r < rounds; r++) {
                even = even / 2 + x[0];
                odd = sqrtf(odd + x[1]);
            }
            first_kernel_reference_paths(x, 2, rounds, value, bound);
            ck_assert(fabs(even - value[0]) <= bound[0]);
            ck_assert(fabs(odd - value[1]) <= bound[1]);
        }
    }
}

static bool judged(const kl_prepared *p, const float *y, int32_t code) {
    const void *outputs[] = {y, &code};
    kl_verdict v;
    first_kernel_problem.verify(&p->shape, (const void *const *)p->inputs, p->solution, outputs,
                                &v);
    return v.ok && v.compared > 0;
}

static void prepare(const char *family, int64_t size, kl_prepared *out) {
    int f = kl_problem_family(&first_kernel_problem, family);
    kl_status status = kl_prepare_case(&first_kernel_problem, f, size, 5, out, &err);
    ck_assert_msg(status == KL_OK, "%s", err.text);
}

KL_TEST(verdicts_of_arrays) {
    static const char *const families[] = {"scale", "difference", "polynomial", "lookup", "paths"};
    for (int f = 0; f < 5; f++) {
        kl_prepared p;
        float y[100];
        prepare(families[f], 100, &p);
        const double *value = p.solution;
        for (int i = 0; i < 100; i++) y[i] = (float)value[i];
        ck_assert_msg(judged(&p, y, 0), "%s", families[f]);
        y[99] = NAN;
        ck_assert(!judged(&p, y, 0));
        y[99] = (float)value[99] * 1.0001f + 1e-4f;
        ck_assert(!judged(&p, y, 0));
        kl_prepared_free(&p);
    }
}

// 1: cudaErrorInvalidValue, 2: cudaErrorMemoryAllocation, 9: cudaErrorInvalidConfiguration.
KL_TEST(verdicts_of_programs) {
    kl_prepared p;
    float y[10], untouched[10];
    memset(untouched, 0xFF, sizeof untouched);
    prepare("bad-block", 10, &p);
    ck_assert(judged(&p, untouched, 1) && judged(&p, untouched, 9));
    ck_assert(!judged(&p, untouched, 0) && !judged(&p, untouched, 2));
    memcpy(y, untouched, sizeof y);
    y[9] = 0.0f;
    ck_assert(!judged(&p, y, 1)); // it failed, and wrote
    kl_prepared_free(&p);
    prepare("bad-block", 0, &p); // nothing to launch
    ck_assert(judged(&p, untouched, 0) && !judged(&p, untouched, 1));
    kl_prepared_free(&p);
    prepare("no-memory", 10, &p);
    ck_assert(judged(&p, untouched, 2) && !judged(&p, untouched, 0));
    kl_prepared_free(&p);
    prepare("program", 10, &p);
    for (int i = 0; i < 10; i++) y[i] = (float)((const double *)p.solution)[i];
    ck_assert(judged(&p, y, 0) && !judged(&p, y, 1) && !judged(&p, untouched, 0));
    kl_prepared_free(&p);
}

KL_TEST_MAIN("first_kernel")
