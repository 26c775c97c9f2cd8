// Tests of Check as functions that find their suite by themselves: KL_TEST(name) { .. }, and after
// the last one KL_TEST_MAIN("suite"), which exits with 0 when all passed; with the C library's
// headers that tests need.
#pragma once

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// An assertion that holds costs a comparison. Check's own sends a message through a pipe then,
// which is most of the time of a test that compares a million bytes.
#undef ck_assert_msg
#define ck_assert_msg(expr, ...)                                                                   \
    ((expr)                                                                                        \
         ? (void)0                                                                                 \
         : _ck_assert_failed(__FILE__, __LINE__, "Assertion '" #expr "' failed", ##__VA_ARGS__))

// The status of a call, or its error, is 0: it went well.
#define OK(call) ck_assert_int_eq(call, 0)
// The same; if not, with the words of its error record.
#define OK_OR_SAY(call, err) ck_assert_msg((call) == 0, "%s", (err).text)

// KL_HAS(text, part, ..): each part is in the text.
#define KL_HAS(text, ...)                                                                          \
    kl_has_all(__FILE__, __LINE__, text, (const char *const[]){__VA_ARGS__, NULL})
static inline void kl_has_all(const char *file, int line, const char *text,
                              const char *const *parts) {
    for (; *parts; parts++)
        if (!strstr(text, *parts))
            _ck_assert_failed(file, line, "KL_HAS", "no \"%s\" in: %s", *parts, text);
}

// How often the part is in the text.
static inline int kl_occurrences(const char *text, const char *part) {
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) count++;
    return count;
}

// Memory that a test keeps until its process ends, so that nobody has to free it. It stays
// reachable for what looks for leaks. Returns it.
static inline void *kl_own(void *memory) {
    static struct kl_owned {
        void *memory;
        struct kl_owned *next;
    } * all;
    struct kl_owned *one = malloc(sizeof *one);
    ck_assert(one && memory);
    *one = (struct kl_owned){memory, all};
    all = one;
    return memory;
}

// A text that is made of others, kept as by kl_own.
__attribute__((format(printf, 1, 2))) static inline char *kl_own_text(const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    ck_assert_int_ge(vasprintf(&text, format, arguments), 0);
    va_end(arguments);
    return kl_own(text);
}

// What a call prints that writes to `out`; kept as by kl_own.
#define KL_PRINTED(out, ...)                                                                       \
    ({                                                                                             \
        FILE *out = open_memstream(&kl_printed_text, &kl_printed_bytes);                           \
        __VA_ARGS__;                                                                               \
        fclose(out) == 0 ? kl_own(kl_printed_text) : NULL;                                         \
    })
static char *kl_printed_text __attribute__((unused));
static size_t kl_printed_bytes __attribute__((unused));

// After so many seconds a test takes what it waits for as hung: no machine is so slow or so busy.
// Less than CTest waits (DART_TESTING_TIMEOUT), so that a test says what it waited for.
enum { KL_PATIENCE_S = 4 * 3600 };

// Check would stop a test after 4 s. Read when a test case is made.
__attribute__((constructor)) static void kl_test_patience(void) {
    char seconds[16];
    snprintf(seconds, sizeof seconds, "%d", KL_PATIENCE_S);
    setenv("CK_DEFAULT_TIMEOUT", seconds, 1);
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

// Runs and frees a suite; the exit status of main. No test run is a failure, too.
static inline int kl_suite_run(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    int ran = srunner_ntests_run(runner);
    srunner_free(runner);
    return failed == 0 && ran > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// Every test that is written is run: no list names it a second time.
typedef struct kl_test {
    const TTest *test;
    int rows; // it runs for each _i below this number
} kl_test;
typedef struct kl_fixture {
    SFun set_up, tear_down;
    int line; // where it is written: it is of the tests that follow, up to another one
} kl_fixture;
static kl_test kl_tests[256];
static kl_fixture kl_fixtures[16];
static size_t kl_test_count, kl_fixture_count;

static inline void kl_test_add(const TTest *test, size_t rows) {
    if (kl_test_count == sizeof kl_tests / sizeof kl_tests[0]) abort();
    kl_tests[kl_test_count++] = (kl_test){test, (int)rows};
}

static inline void kl_fixture_add(SFun set_up, SFun tear_down, int line) {
    if (kl_fixture_count == sizeof kl_fixtures / sizeof kl_fixtures[0]) abort();
    kl_fixtures[kl_fixture_count++] = (kl_fixture){set_up, tear_down, line};
}

// What a test has opened and does not close itself is closed behind it, the last one first.
typedef struct kl_left {
    void (*close)(void *what);
    void *what;
} kl_left;
__attribute__((weak)) kl_left *kl_lefts; // of all files of the program
__attribute__((weak)) size_t kl_left_count;

static inline void kl_close_later(void (*close_it)(void *what), void *what) {
    kl_lefts = realloc(kl_lefts, (kl_left_count + 1) * sizeof *kl_lefts);
    if (!kl_lefts) abort();
    kl_lefts[kl_left_count++] = (kl_left){close_it, what};
}

// It is closed now.
static inline void kl_is_closed(const void *what) {
    for (size_t i = 0; i < kl_left_count; i++)
        if (kl_lefts[i].what == what) kl_lefts[i] = kl_lefts[--kl_left_count];
}

static inline void kl_close_all(void) {
    while (kl_left_count > 0) {
        kl_left last = kl_lefts[--kl_left_count];
        last.close(last.what);
    }
    free(kl_lefts);
    kl_lefts = NULL;
}

// What every picture must be: tags are closed in the right order; no number is nan or inf.
// (Inlined, GCC 12 takes the text of an open_memstream for a dangling pointer.)
static __attribute__((noinline, unused)) void kl_check_svg(const char *svg) {
    const char *names[16];
    size_t lengths[16];
    int depth = 0;
    for (const char *p = strchr(svg, '<'); p; p = strchr(p, '<')) {
        const char *close = strchr(p, '>');
        ck_assert_ptr_nonnull(close);
        bool ends = p[1] == '/', whole = close[-1] == '/';
        const char *name = p + 1 + ends;
        size_t length = strcspn(name, " />");
        if (ends) {
            ck_assert(--depth >= 0 && lengths[depth] == length &&
                      strncmp(names[depth], name, length) == 0);
        } else if (!whole) {
            ck_assert_int_lt(depth, 16);
            names[depth] = name;
            lengths[depth++] = length;
        }
        p = close;
    }
    ck_assert_int_eq(depth, 0);
    ck_assert(strncmp(svg, "<svg ", 5) == 0);
    ck_assert(!strstr(svg, "nan") && !strstr(svg, "inf"));
}

static inline int kl_count_of(const char *text, const char *part) {
    int count = 0;
    size_t length = strlen(part);
    for (size_t at = 0; text[at] != '\0'; at++) count += strncmp(text + at, part, length) == 0;
    return count;
}

// KL_TEST(name) { .. } is a test; with rows, it runs for each _i below `rows`.
#define KL_TEST_ROWS(name, rows)                                                                   \
    static const TTest *name;                                                                      \
    __attribute__((constructor)) static void name##_is_there(void) { kl_test_add(name, rows); }    \
    START_TEST(name)
#define KL_TEST(name) KL_TEST_ROWS(name, 1)

// From here on set_up runs before each test and tear_down after it, both in the test's process;
// NULL: nothing does.
#define KL_FIXTURE(set_up, tear_down)          KL_FIXTURE_AT(set_up, tear_down, __LINE__)
#define KL_FIXTURE_AT(set_up, tear_down, line) KL_FIXTURE_NAMED(set_up, tear_down, line)
#define KL_FIXTURE_NAMED(set_up, tear_down, line)                                                  \
    __attribute__((constructor)) static void kl_fixture_##line(void) {                             \
        kl_fixture_add(set_up, tear_down, line);                                                   \
    }

// Constructors run in no certain order.
static inline int kl_by_line(const void *a, const void *b) {
    return ((const kl_test *)a)->test->line - ((const kl_test *)b)->test->line;
}

// The tests as cases of a suite, in the order of their lines.
static inline void kl_add_tests(Suite *suite) {
    qsort(kl_tests, kl_test_count, sizeof kl_tests[0], kl_by_line);
    for (size_t i = 0; i < kl_test_count; i++) {
        const TTest *test = kl_tests[i].test;
        kl_fixture fixture = {0};
        for (size_t k = 0; k < kl_fixture_count; k++)
            if (kl_fixtures[k].line < test->line && kl_fixtures[k].line > fixture.line)
                fixture = kl_fixtures[k];
        TCase *one = tcase_create(test->name);
        tcase_add_checked_fixture(one, NULL, kl_close_all); // runs behind the other's
        tcase_add_checked_fixture(one, fixture.set_up, fixture.tear_down);
        tcase_add_loop_test(one, test, 0, kl_tests[i].rows);
        suite_add_tcase(suite, one);
    }
}

#define KL_TEST_MAIN(name)                                                                         \
    int main(void) {                                                                               \
        Suite *suite = suite_create(name);                                                         \
        kl_add_tests(suite);                                                                       \
        return kl_suite_run(suite);                                                                \
    }
