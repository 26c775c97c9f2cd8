// SPDX-License-Identifier: MIT
// Formats: the lecture's 4 x 6 example in rows and in numbers, what is refused.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse.h"
#include "suite.h"

static kl_error err;

// The lecture's example: 10 20 . . . . / . 30 . 40 . . / . . 50 60 70 . / . . . . . 80
static const int32_t example_row[] = {0, 0, 1, 1, 2, 2, 2, 3};
static const int32_t example_col[] = {0, 1, 1, 3, 2, 3, 4, 5};
static const double example_val[] = {10, 20, 30, 40, 50, 60, 70, 80};
enum { EXAMPLE_NNZ = 8 };

// Entries in an order that a linear congruence shuffles.
static kl_coo make_coo(int64_t rows, int64_t cols, int64_t nnz, const int32_t *row,
                       const int32_t *col, const double *val, bool shuffle) {
    kl_coo coo = {.rows = rows, .cols = cols, .nnz = nnz};
    coo.row = calloc((size_t)nnz + 1, sizeof *coo.row);
    coo.col = calloc((size_t)nnz + 1, sizeof *coo.col);
    coo.val = calloc((size_t)nnz + 1, sizeof *coo.val);
    for (int64_t k = 0; k < nnz; k++) {
        int64_t from = shuffle ? (5 * k + 3) % nnz : k;
        coo.row[k] = row[from];
        coo.col[k] = col[from];
        coo.val[k] = val[from];
    }
    return coo;
}

static kl_csr example(bool shuffle) {
    kl_coo coo = make_coo(4, 6, EXAMPLE_NNZ, example_row, example_col, example_val, shuffle);
    kl_csr csr;
    ck_assert_msg(kl_csr_from_coo(&coo, &csr, &err) == KL_OK, "%s", err.text);
    kl_coo_free(&coo);
    return csr;
}

START_TEST(example_in_csr) {
    static const int32_t ptr[] = {0, 2, 4, 7, 8};
    for (int shuffle = 0; shuffle < 2; shuffle++) {
        kl_csr csr = example(shuffle != 0);
        ck_assert_int_eq(csr.nnz, EXAMPLE_NNZ);
        ck_assert_mem_eq(csr.ptr, ptr, sizeof ptr);
        ck_assert_mem_eq(csr.col, example_col, sizeof example_col);
        ck_assert_mem_eq(csr.val, example_val, sizeof example_val);
        kl_csr_free(&csr);
    }
}
END_TEST

START_TEST(example_in_figures) {
    kl_csr csr = example(false);
    kl_sparse_stats s;
    ck_assert_int_eq(kl_sparse_stats_of(&csr, &s, &err), KL_OK);
    ck_assert_int_eq(s.row_min, 1);
    ck_assert_int_eq(s.row_max, 3);
    ck_assert_double_eq(s.row_mean, 2.0);
    ck_assert_double_eq_tol(s.row_stddev, sqrt(0.5), 1e-15);
    ck_assert_int_eq(s.lower, 0);
    ck_assert_int_eq(s.upper, 2);
    ck_assert_int_eq(s.diagonals, 3);
    ck_assert_int_eq(s.empty_rows, 0);
    ck_assert_double_eq(kl_sparse_storage_bytes(&s, KL_COO, 4), 8 * 12.0);
    ck_assert_double_eq(kl_sparse_storage_bytes(&s, KL_CSR, 4), 5 * 4.0 + 8 * 8.0);
    ck_assert_double_eq(kl_sparse_storage_bytes(&s, KL_ELL, 4), 4 * 3 * 8.0);
    ck_assert_double_eq(kl_sparse_storage_bytes(&s, KL_DIA, 8), 3 * 4.0 + 3 * 4 * 8.0);
    kl_csr_free(&csr);
}
END_TEST

START_TEST(duplicates_add_up_and_zeros_stay) {
    static const int32_t row[] = {1, 0, 1, 1, 0}, col[] = {2, 0, 0, 2, 0};
    static const double val[] = {1.5, -4, 0, 2.25, 4};
    kl_coo coo = make_coo(3, 3, 5, row, col, val, false);
    kl_csr csr;
    ck_assert_int_eq(kl_csr_from_coo(&coo, &csr, &err), KL_OK);
    ck_assert_int_eq(csr.nnz, 3); // -4 + 4 stays as a stored zero
    ck_assert_int_eq(csr.ptr[1], 1);
    ck_assert_int_eq(csr.ptr[2], 3);
    ck_assert_int_eq(csr.ptr[3], 3);
    ck_assert_double_eq(csr.val[0], 0.0);
    ck_assert_double_eq(csr.val[1], 0.0);
    ck_assert_double_eq(csr.val[2], 3.75);
    kl_sparse_stats s;
    ck_assert_int_eq(kl_sparse_stats_of(&csr, &s, &err), KL_OK);
    ck_assert_int_eq(s.explicit_zeros, 2);
    ck_assert_int_eq(s.empty_rows, 1);
    kl_coo_free(&coo);
    kl_csr_free(&csr);
}
END_TEST

START_TEST(matrices_without_rows_or_columns) {
    static const int64_t shapes[][2] = {{0, 0}, {0, 5}, {5, 0}};
    for (int i = 0; i < 3; i++) {
        kl_coo coo = {.rows = shapes[i][0], .cols = shapes[i][1]};
        kl_csr csr;
        kl_sparse_stats s;
        ck_assert_int_eq(kl_csr_from_coo(&coo, &csr, &err), KL_OK);
        ck_assert_int_eq(kl_sparse_stats_of(&csr, &s, &err), KL_OK);
        ck_assert_int_eq(s.row_min, 0);
        ck_assert_int_eq(s.empty_rows, shapes[i][0]);
        kl_csr_free(&csr);
    }
}
END_TEST

START_TEST(wrong_indices_are_refused) {
    static const int32_t bad[] = {-1, 4, 2147483647};
    for (int i = 0; i < 6; i++) {
        kl_coo coo = make_coo(4, 4, 4, example_row, example_col, example_val, false);
        *(i < 3 ? &coo.row[2] : &coo.col[2]) = bad[i % 3];
        kl_csr csr;
        ck_assert_int_eq(kl_csr_from_coo(&coo, &csr, &err), KL_ERROR_INPUT);
        ck_assert_ptr_nonnull(strstr(err.text, "entry 2"));
        ck_assert_ptr_null(csr.ptr);
        kl_coo_free(&coo);
    }
}
END_TEST

KL_TEST_MAIN("sparse formats", example_in_csr, example_in_figures, duplicates_add_up_and_zeros_stay,
             matrices_without_rows_or_columns, wrong_indices_are_refused)
