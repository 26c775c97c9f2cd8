// SPDX-License-Identifier: MIT
// What test programs end with: run one suite of Check, exit 0 when all passed.
#ifndef KL_TEST_SUITE_H
#define KL_TEST_SUITE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

// An assertion that holds costs a comparison. Check's own sends a message through a pipe then,
// which is most of the time of a test that compares a million bytes.
#undef ck_assert_msg
#define ck_assert_msg(expr, ...)                                                                   \
    ((expr)                                                                                        \
         ? (void)0                                                                                 \
         : _ck_assert_failed(__FILE__, __LINE__, "Assertion '" #expr "' failed", ##__VA_ARGS__))

// After so many seconds a test takes what it waits for as hung: no machine is so slow or so busy.
// Less than CTest waits (DART_TESTING_TIMEOUT), so that a test says what it waited for.
enum { KL_PATIENCE_S = 4 * 3600 };

// Check would stop a test after 4 s. Read when a test case is made.
__attribute__((constructor)) static void kl_test_patience(void) {
    char seconds[16];
    snprintf(seconds, sizeof seconds, "%d", KL_PATIENCE_S);
    setenv("CK_DEFAULT_TIMEOUT", seconds, 1);
}

// Runs and frees a suite; the exit status of main. No test run is a failure, too.
static inline int kl_suite_run(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    int ran = srunner_ntests_run(runner);
    srunner_free(runner);
    return failed == 0 && ran > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// A document that a test has made, for who compares documents with their description: kept as NAME
// in the folder that KL_KEEP names, if it is set.
static inline void kl_keep(const char *name, const char *text) {
    const char *folder = getenv("KL_KEEP");
    char path[4096];
    if (!folder) return;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    ck_assert_int_eq(fclose(out), 0);
}

// tests: [count], made with START_TEST.
static inline void kl_add_tests(TCase *cases, const TTest *const *tests, size_t count) {
    for (size_t i = 0; i < count; i++) tcase_add_test(cases, tests[i]);
}
#define KL_ADD_TESTS(cases, ...)                                                                   \
    kl_add_tests(cases, (const TTest *const[]){__VA_ARGS__},                                       \
                 sizeof(const TTest *const[]){__VA_ARGS__} / sizeof(const TTest *))

// Of a program with several: one case of its suite, as KL_TEST_MAIN_WITH has one.
#define KL_CASE(suite, name, set_up, tear_down, ...)                                               \
    do {                                                                                           \
        TCase *kl_case_made = tcase_create(name);                                                  \
        tcase_add_checked_fixture(kl_case_made, set_up, tear_down);                                \
        KL_ADD_TESTS(kl_case_made, __VA_ARGS__);                                                   \
        suite_add_tcase(suite, kl_case_made);                                                      \
    } while (0)

// set_up runs before each of them and tear_down behind it, both in the test's process; NULL:
// nothing does.
static inline int kl_test_main(const char *name, SFun set_up, SFun tear_down,
                               const TTest *const *tests, size_t count) {
    Suite *suite = suite_create(name);
    TCase *cases = tcase_create(name);
    tcase_add_checked_fixture(cases, set_up, tear_down);
    kl_add_tests(cases, tests, count);
    suite_add_tcase(suite, cases);
    return kl_suite_run(suite);
}

#define KL_TEST_MAIN_WITH(name, set_up, tear_down, ...)                                            \
    int main(void) {                                                                               \
        const TTest *const tests[] = {__VA_ARGS__};                                                \
        return kl_test_main(name, set_up, tear_down, tests, sizeof tests / sizeof tests[0]);       \
    }
#define KL_TEST_MAIN(name, ...) KL_TEST_MAIN_WITH(name, NULL, NULL, __VA_ARGS__)

#endif
