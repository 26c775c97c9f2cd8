// What the tests of labs' problems share: cases and verdicts on outputs.
#pragma once

#include "problem.h"
#include "suite.h"

// Inputs and answers of a case; to be freed with kl_prepared_free.
static inline kl_prepared kl_test_case(const kl_problem *problem, const char *family, int64_t size,
                                       uint64_t seed) {
    kl_prepared p;
    kl_error err = {KL_OK, ""};
    int index = kl_problem_family(problem, family);
    ck_assert_int_ge(index, 0);
    kl_status status = kl_prepare_case(problem, index, size, seed, &p, &err);
    ck_assert_msg(status == KL_OK, "%s, size %lld: %s", family, (long long)size, err.text);
    return p;
}

// The verdict on the first output.
static inline kl_verdict kl_test_verdict(const kl_problem *problem, const kl_prepared *p,
                                         const void *got) {
    kl_verdict verdict;
    const void *outputs[KL_MAX_BUFFERS] = {got};
    memset(&verdict, 0, sizeof verdict);
    problem->verify(&p->shape, (const void *const *)p->inputs, p->solution, outputs, &verdict);
    return verdict;
}

// Families and sizes that a problem does not have are refused, its largest size is not.
static inline void kl_test_range(const kl_problem *problem) {
    kl_case c;
    kl_error err;
    ck_assert_int_eq(problem->describe(-1, 1, 1, &c, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(problem->describe(problem->family_count, 1, 1, &c, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(problem->describe(0, -1, 1, &c, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(problem->describe(0, problem->max_size + 1, 1, &c, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(problem->describe(0, problem->max_size, 1, &c, &err), KL_OK);
}
