// Lab 01's comparison of matrices so large that several threads compare them: the wrong element
// that is shown is the first one in the output, wherever it lies in the input.
#include "reference.h"

#include "suite.h"

enum { ROWS = 3001, COLS = 1999 }; // six million elements

typedef struct matrices {
    uint32_t *in, *out;
} matrices;

static matrices make(void) {
    matrices m = {malloc(sizeof(uint32_t) * ROWS * COLS), malloc(sizeof(uint32_t) * ROWS * COLS)};
    ck_assert_ptr_nonnull(m.in);
    ck_assert_ptr_nonnull(m.out);
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t c = 0; c < COLS; c++)
            m.out[c * ROWS + r] = m.in[r * COLS + c] = (uint32_t)(r * COLS + c + 1);
    return m;
}

static kl_verdict compare(matrices m) {
    const transpose_check check = {.in = m.in, .out = m.out, .rows = ROWS, .cols = COLS};
    kl_verdict verdict;
    transpose_compare(&check, &verdict);
    ck_assert_uint_eq(verdict.compared, ROWS * COLS);
    return verdict;
}

KL_TEST(test_right_and_wrong_elements) {
    matrices m = make();
    ck_assert(compare(m).ok);
    static const int64_t places[][2] = {{0, 0}, {0, 1998}, {3000, 0}, {3000, 1998}, {1500, 7}};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        int64_t at = places[k][1] * ROWS + places[k][0];
        uint32_t right = m.out[at];
        m.out[at] = UINT32_MAX;
        kl_verdict verdict = compare(m);
        ck_assert(!verdict.ok);
        ck_assert_int_eq((int64_t)verdict.first_wrong, at);
        KL_HAS(verdict.hint, "never written");
        m.out[at] = right;
    }
    free(m.in);
    free(m.out);
}

KL_TEST(test_first_in_the_output_is_shown) {
    matrices m = make();
    for (int64_t r = 0; r < ROWS; r += 100) m.out[(1000 - r / 5) * ROWS + r] = 0;
    kl_verdict verdict = compare(m);
    ck_assert(!verdict.ok);
    ck_assert_int_eq((int64_t)verdict.first_wrong, (1000 - 3000 / 5) * ROWS + 3000);
    free(m.in);
    free(m.out);
}

KL_TEST_MAIN("transpose reference")
