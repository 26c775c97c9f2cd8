// SPDX-License-Identifier: MIT
// Made matrices: their structure by independent counting, determinism, bad parameters.
#include <math.h>
#include <string.h>

#include "sparse.h"
#include "suite.h"

static kl_error err;

// CSR as it must be: pointers ascend, columns ascend strictly inside a row, no stored zero.
static kl_sparse_stats checked(const kl_csr *csr) {
    ck_assert_int_eq(csr->ptr[0], 0);
    ck_assert_int_eq(csr->ptr[csr->rows], csr->nnz);
    for (int64_t i = 0; i < csr->rows; i++) {
        ck_assert_int_le(csr->ptr[i], csr->ptr[i + 1]);
        for (int32_t k = csr->ptr[i]; k < csr->ptr[i + 1]; k++) {
            ck_assert(csr->col[k] >= 0 && csr->col[k] < csr->cols);
            ck_assert(k == csr->ptr[i] || csr->col[k - 1] < csr->col[k]);
            ck_assert(csr->val[k] != 0.0 && fabs(csr->val[k]) <= 4.0 &&
                      csr->val[k] * 16 == rint(csr->val[k] * 16));
        }
    }
    kl_sparse_stats s;
    ck_assert_int_eq(kl_sparse_stats_of(csr, &s, &err), KL_OK);
    return s;
}

START_TEST(stencils_have_their_neighbours) {
    static const struct {
        kl_stencil stencil;
        int64_t nx, ny, nz, nnz, diagonals, longest;
    } rows[] = {
        // a x b x c points: each direction of neighbours loses one layer of points
        {KL_STENCIL_5, 7, 5, 1, 5 * 35 - 2 * 7 - 2 * 5, 5, 5},
        {KL_STENCIL_9, 7, 5, 1, (3 * 7 - 2) * (3 * 5 - 2), 9, 9},
        {KL_STENCIL_7, 4, 5, 6, 7 * 120 - 2 * (20 + 24 + 30), 7, 7},
        {KL_STENCIL_27, 4, 5, 6, (3 * 4 - 2) * (3 * 5 - 2) * (3 * 6 - 2), 27, 27},
        {KL_STENCIL_5, 1, 1, 1, 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kl_csr csr;
        ck_assert_int_eq(
            kl_make_stencil(rows[i].stencil, rows[i].nx, rows[i].ny, rows[i].nz, 1, &csr, &err),
            KL_OK);
        kl_sparse_stats s = checked(&csr);
        ck_assert_int_eq(s.nnz, rows[i].nnz);
        ck_assert_int_eq(s.row_max, rows[i].longest);
        ck_assert_int_eq(s.diagonals, rows[i].diagonals);
        ck_assert_int_eq(s.lower, s.upper);
        kl_csr_free(&csr);
    }
    kl_csr csr;
    ck_assert_int_eq(kl_make_stencil(KL_STENCIL_9, 4, 4, 2, 1, &csr, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(kl_make_stencil(KL_STENCIL_7, 100000, 100000, 100000, 1, &csr, &err),
                     KL_ERROR_INPUT);
}
END_TEST

START_TEST(bands_are_full) {
    kl_csr csr;
    ck_assert_int_eq(kl_make_band(100, 3, 5, 1, &csr, &err), KL_OK);
    kl_sparse_stats s = checked(&csr);
    ck_assert_int_eq(s.nnz, 9 * 100 - (1 + 2 + 3) - (1 + 2 + 3 + 4 + 5));
    ck_assert_int_eq(s.lower, 3);
    ck_assert_int_eq(s.upper, 5);
    ck_assert_int_eq(s.diagonals, 9);
    kl_csr_free(&csr);
    ck_assert_int_eq(kl_make_band(4, 100, 100, 1, &csr, &err), KL_OK); // wider than the matrix
    ck_assert_int_eq(checked(&csr).nnz, 16);
    kl_csr_free(&csr);
    ck_assert_int_eq(kl_make_band(4, -1, 0, 1, &csr, &err), KL_ERROR_INPUT);
}
END_TEST

START_TEST(uniform_rows_cover_all_columns) {
    kl_csr csr;
    ck_assert_int_eq(kl_make_uniform(3000, 77, 8, 5, &csr, &err), KL_OK);
    kl_sparse_stats s = checked(&csr);
    ck_assert_int_eq(s.row_min, 8);
    ck_assert_int_eq(s.row_max, 8);
    int64_t hits[77] = {0};
    for (int64_t k = 0; k < csr.nnz; k++) hits[csr.col[k]]++;
    for (int j = 0; j < 77; j++) ck_assert(hits[j] > 200 && hits[j] < 450); // 312 on average
    kl_csr_free(&csr);
    ck_assert_int_eq(kl_make_uniform(5, 5, 5, 5, &csr, &err), KL_OK); // full
    ck_assert_int_eq(checked(&csr).nnz, 25);
    kl_csr_free(&csr);
    ck_assert_int_eq(kl_make_uniform(5, 5, 6, 5, &csr, &err), KL_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "6 entries in 5 columns"));
}
END_TEST

START_TEST(giant_rows_stand_where_they_should) {
    kl_csr csr;
    ck_assert_int_eq(kl_make_giant_rows(1000, 5000, 3, 4, 4000, 9, &csr, &err), KL_OK);
    kl_sparse_stats s = checked(&csr);
    ck_assert_int_eq(s.nnz, 996 * 3 + 4 * 4000);
    ck_assert_int_eq(csr.ptr[126] - csr.ptr[125], 4000); // the middle of the first quarter
    ck_assert_int_eq(csr.ptr[876] - csr.ptr[875], 4000);
    kl_csr_free(&csr);
    ck_assert_int_eq(kl_make_giant_rows(1, 9, 1, 1, 9, 9, &csr, &err), KL_OK);
    ck_assert_int_eq(checked(&csr).nnz, 9);
    kl_csr_free(&csr);
    ck_assert_int_eq(kl_make_giant_rows(3, 9, 1, 4, 9, 9, &csr, &err), KL_ERROR_INPUT);
}
END_TEST

START_TEST(rmat_is_skewed) {
    kl_csr csr, flat;
    ck_assert_int_eq(kl_make_rmat(12, 1 << 16, 0.57, 0.19, 0.19, false, 4, &csr, &err), KL_OK);
    ck_assert_int_eq(kl_make_rmat(12, 1 << 16, 0.25, 0.25, 0.25, false, 4, &flat, &err), KL_OK);
    kl_sparse_stats s = checked(&csr), f = checked(&flat);
    ck_assert_int_eq(s.rows, 4096);
    ck_assert(s.nnz > (1 << 15) && s.nnz < 1 << 16); // equal edges were added up
    ck_assert(s.row_max > 8 * f.row_max);
    ck_assert(s.row_stddev > 5 * f.row_stddev);
    ck_assert(s.empty_rows > 300 && f.empty_rows == 0);
    kl_csr_free(&csr);
    kl_csr_free(&flat);
    ck_assert_int_eq(kl_make_rmat(12, 1 << 16, 0.57, 0.19, 0.19, true, 4, &csr, &err), KL_OK);
    ck_assert_int_eq(csr.nnz, 1 << 16); // each draw is an entry
    kl_csr_free(&csr);
    ck_assert_int_eq(kl_make_rmat(29, 1, 0.5, 0.2, 0.2, false, 4, &csr, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(kl_make_rmat(4, 1, 0.5, 0.5, 0.5, false, 4, &csr, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(kl_make_rmat(4, 1, NAN, 0.5, 0.5, false, 4, &csr, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(kl_make_rmat(0, 5, 0.5, 0.2, 0.2, false, 4, &csr, &err), KL_OK);
    ck_assert_int_eq(checked(&csr).nnz, 1);
    kl_csr_free(&csr);
}
END_TEST

START_TEST(seeds_decide) {
    kl_csr a, b, c;
    ck_assert_int_eq(kl_make_uniform(100, 1000, 5, 1, &a, &err), KL_OK);
    ck_assert_int_eq(kl_make_uniform(100, 1000, 5, 1, &b, &err), KL_OK);
    ck_assert_int_eq(kl_make_uniform(100, 1000, 5, 2, &c, &err), KL_OK);
    ck_assert_mem_eq(a.col, b.col, 500 * sizeof *a.col);
    ck_assert_mem_eq(a.val, b.val, 500 * sizeof *a.val);
    ck_assert_mem_ne(a.col, c.col, 500 * sizeof *a.col);
    ck_assert_mem_ne(a.val, c.val, 500 * sizeof *a.val);
    kl_csr_free(&a);
    kl_csr_free(&b);
    kl_csr_free(&c);
}
END_TEST

KL_TEST_MAIN("made matrices", stencils_have_their_neighbours, bands_are_full,
             uniform_rows_cover_all_columns, giant_rows_stand_where_they_should, rmat_is_skewed,
             seeds_decide)
