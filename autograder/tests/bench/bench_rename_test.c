// Renaming changes what a file declares, wherever it stands, and nothing else.
// links: ../../bench/rename.c
#include "bench.h"

#include "suite.h"

static const struct {
    const char *text, *renamed;
} rows[] = {
    {"", ""},
    {"int a = a0 + a;", "int a_7 = a0 + a_7;"},
    {"void f(const float *d_x, int64_t n)", "void f(const float *d_x_7, int64_t n_7)"},
    {"unsigned x = threadIdx.x; p->x = x;", "unsigned x_7 = threadIdx.x; p->x = x_7;"},
    {"int launch(int n) { return launch(n); }", "int launch(int n_7) { return launch(n_7); }"},
    {"float y = 0x1fe + 1e3f, e3f = 2;", "float y_7 = 0x1fe + 1e3f, e3f = 2;"},
    {"unsigned int k; long long m; __shared__ float s[4]; s[k] = m;",
     "unsigned int k_7; long long m_7; __shared__ float s_7[4]; s_7[k_7] = m_7;"},
};

KL_TEST(names_change) {
    kl_error err;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = NULL;
        ck_assert_int_eq(bench_rename(rows[i].text, "_7", &text, &err), KL_OK);
        ck_assert_str_eq(text, rows[i].renamed);
        free(text);
    }
}

KL_TEST_MAIN("bench rename")
