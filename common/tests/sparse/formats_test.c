// SPDX-License-Identifier: MIT
// Formats: the lecture's 4 x 6 example in all four, conversions both ways, what is refused.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
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

static void ck_same_csr(const kl_csr *a, const kl_csr *b) {
    ck_assert_int_eq(a->rows, b->rows);
    ck_assert_int_eq(a->cols, b->cols);
    ck_assert_int_eq(a->nnz, b->nnz);
    ck_assert_mem_eq(a->ptr, b->ptr, (size_t)(a->rows + 1) * sizeof *a->ptr);
    if (a->nnz == 0) return;
    ck_assert_mem_eq(a->col, b->col, (size_t)a->nnz * sizeof *a->col);
    ck_assert_mem_eq(a->val, b->val, (size_t)a->nnz * sizeof *a->val);
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

START_TEST(example_in_ell) {
    static const int32_t col[] = {0, 1, 2, 5, 1, 3, 3, -1, -1, -1, 4, -1};
    static const double val[] = {10, 30, 50, 80, 20, 40, 60, 0, 0, 0, 70, 0};
    kl_csr csr = example(false), back;
    kl_ell ell;
    ck_assert_int_eq(kl_ell_from_csr(&csr, 1 << 20, &ell, &err), KL_OK);
    ck_assert_int_eq(ell.width, 3);
    ck_assert_mem_eq(ell.col, col, sizeof col);
    ck_assert_mem_eq(ell.val, val, sizeof val);
    ck_assert_int_eq(kl_csr_from_ell(&ell, &back, &err), KL_OK);
    ck_same_csr(&csr, &back);
    kl_ell_free(&ell);
    kl_csr_free(&csr);
    kl_csr_free(&back);
}
END_TEST

START_TEST(example_in_dia) {
    static const int32_t offset[] = {0, 1, 2};
    static const double val[] = {10, 30, 50, 0, 20, 0, 60, 0, 0, 40, 70, 80};
    kl_csr csr = example(false), back;
    kl_dia dia;
    ck_assert_int_eq(kl_dia_from_csr(&csr, 1 << 20, &dia, &err), KL_OK);
    ck_assert_int_eq(dia.diagonals, 3);
    ck_assert_mem_eq(dia.offset, offset, sizeof offset);
    ck_assert_mem_eq(dia.val, val, sizeof val);
    ck_assert_int_eq(kl_csr_from_dia(&dia, &back, &err), KL_OK);
    ck_same_csr(&csr, &back);
    kl_dia_free(&dia);
    kl_csr_free(&csr);
    kl_csr_free(&back);
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
    double x[] = {1, 2, 3, 4, 5, 6}, y[4];
    kl_csr_multiply(&csr, x, y);
    ck_assert_double_eq(y[0], 50);
    ck_assert_double_eq(y[1], 220);
    ck_assert_double_eq(y[2], 740);
    ck_assert_double_eq(y[3], 480);
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

// Every shape goes through every format and comes back.
static void round_trip(int64_t rows, int64_t cols, int64_t nnz, uint64_t seed) {
    kl_coo coo = {.rows = rows, .cols = cols, .nnz = nnz}, again;
    coo.row = calloc((size_t)nnz + 1, sizeof *coo.row);
    coo.col = calloc((size_t)nnz + 1, sizeof *coo.col);
    coo.val = calloc((size_t)nnz + 1, sizeof *coo.val);
    for (int64_t k = 0; k < nnz; k++) {
        coo.row[k] = (int32_t)kl_random_below(seed, (uint64_t)(2 * k), (uint64_t)rows);
        coo.col[k] = (int32_t)kl_random_below(seed, (uint64_t)(2 * k + 1), (uint64_t)cols);
        coo.val[k] = 1.0 + (double)(k % 7);
    }
    kl_csr csr, back;
    kl_ell ell;
    kl_dia dia;
    ck_assert_int_eq(kl_csr_from_coo(&coo, &csr, &err), KL_OK);
    ck_assert_int_eq(csr.ptr[rows], csr.nnz);
    ck_assert_int_eq(kl_coo_from_csr(&csr, &again, &err), KL_OK);
    ck_assert_int_eq(kl_csr_from_coo(&again, &back, &err), KL_OK);
    ck_same_csr(&csr, &back);
    kl_csr_free(&back);
    ck_assert_int_eq(kl_ell_from_csr(&csr, 1 << 28, &ell, &err), KL_OK);
    ck_assert_int_eq(kl_csr_from_ell(&ell, &back, &err), KL_OK);
    ck_same_csr(&csr, &back);
    kl_csr_free(&back);
    ck_assert_int_eq(kl_dia_from_csr(&csr, 1 << 28, &dia, &err), KL_OK);
    ck_assert_int_eq(kl_csr_from_dia(&dia, &back, &err), KL_OK);
    ck_same_csr(&csr, &back);
    kl_csr_free(&back);
    kl_csr_free(&csr);
    kl_coo_free(&coo);
    kl_coo_free(&again);
    kl_ell_free(&ell);
    kl_dia_free(&dia);
}

START_TEST(any_shape_comes_back) {
    round_trip(1, 1, 1, 1);
    round_trip(1, 500, 80, 2);
    round_trip(500, 1, 80, 3);
    round_trip(97, 31, 1200, 4); // many duplicates
    round_trip(31, 97, 40, 5);
    round_trip(200, 200, 0, 6);
}
END_TEST

START_TEST(matrices_without_rows_or_columns) {
    static const int64_t shapes[][2] = {{0, 0}, {0, 5}, {5, 0}};
    for (int i = 0; i < 3; i++) {
        kl_coo coo = {.rows = shapes[i][0], .cols = shapes[i][1]};
        kl_csr csr;
        kl_ell ell;
        kl_dia dia;
        kl_sparse_stats s;
        ck_assert_int_eq(kl_csr_from_coo(&coo, &csr, &err), KL_OK);
        ck_assert_int_eq(kl_sparse_stats_of(&csr, &s, &err), KL_OK);
        ck_assert_int_eq(s.row_min, 0);
        ck_assert_int_eq(s.empty_rows, shapes[i][0]);
        ck_assert_int_eq(kl_ell_from_csr(&csr, 0, &ell, &err), KL_OK);
        ck_assert_int_eq(kl_dia_from_csr(&csr, 0, &dia, &err), KL_OK);
        kl_ell_free(&ell);
        kl_dia_free(&dia);
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

START_TEST(padding_beyond_the_limit_is_refused) {
    enum { N = 1000 };
    int32_t row[2 * N], col[2 * N];
    double val[2 * N];
    for (int k = 0; k < N; k++) { // an anti-diagonal and one full row
        row[k] = k, col[k] = N - 1 - k, val[k] = 1;
        row[N + k] = 7, col[N + k] = k, val[N + k] = 1;
    }
    kl_coo coo = make_coo(N, N, 2 * N, row, col, val, false);
    kl_csr csr;
    kl_ell ell;
    kl_dia dia;
    ck_assert_int_eq(kl_csr_from_coo(&coo, &csr, &err), KL_OK);
    ck_assert_int_eq(kl_ell_from_csr(&csr, 12 * N * N - 1, &ell, &err), KL_ERROR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.text, "1000 in the longest row"));
    ck_assert_int_eq(kl_ell_from_csr(&csr, 12 * N * N, &ell, &err), KL_OK);
    ck_assert_int_eq(kl_dia_from_csr(&csr, 1 << 20, &dia, &err), KL_ERROR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.text, "diagonals"));
    kl_ell_free(&ell);
    kl_coo_free(&coo);
    kl_csr_free(&csr);
}
END_TEST

KL_TEST_MAIN("sparse formats", example_in_csr, example_in_ell, example_in_dia, example_in_figures,
             duplicates_add_up_and_zeros_stay, any_shape_comes_back,
             matrices_without_rows_or_columns, wrong_indices_are_refused,
             padding_beyond_the_limit_is_refused)
