// SPDX-License-Identifier: MIT
// Made matrices: the structures that decide which format and kernel is best. All are functions of
// their parameters and a seed. Values are multiples of 1/16 in [-4, 4] without 0, so that products
// with small integers add up without rounding in any order.
#ifndef KL_SPARSE_GENERATE_H
#define KL_SPARSE_GENERATE_H

#include "sparse.h"

// Fills csr->val: [nnz].
void kl_make_values(kl_csr *csr, uint64_t seed);

// Finite-difference stencils on a grid of nx x ny x nz points, row-major in x: every row has its
// point's neighbours that exist. 2-D ones need nz == 1.
typedef enum kl_stencil { KL_STENCIL_5, KL_STENCIL_9, KL_STENCIL_7, KL_STENCIL_27 } kl_stencil;
kl_status kl_make_stencil(kl_stencil stencil, int64_t nx, int64_t ny, int64_t nz, uint64_t seed,
                          kl_csr *out_csr, kl_error *err);

// n x n, all elements with -lower <= j - i <= upper.
kl_status kl_make_band(int64_t n, int64_t lower, int64_t upper, uint64_t seed, kl_csr *out_csr,
                       kl_error *err);

// rows x cols, `per_row` different columns in each row: one from each of per_row equal slices.
kl_status kl_make_uniform(int64_t rows, int64_t cols, int64_t per_row, uint64_t seed,
                          kl_csr *out_csr, kl_error *err);

// A graph with a power law: 2^scale vertices, `edges` edges drawn one by one. An edge drawn twice
// is two entries at one place when `repeats` is true; otherwise they become one.
// Quadrant probabilities a, b, c (and d = 1 - a - b - c). Source: Chakrabarti, Zhan and Faloutsos,
// "R-MAT: A Recursive Model for Graph Mining", SDM 2004; Graph500 uses 0.57, 0.19, 0.19.
kl_status kl_make_rmat(int scale, int64_t edges, double a, double b, double c, bool repeats,
                       uint64_t seed, kl_csr *out_csr, kl_error *err);

// Uniform, but for `giants` evenly spread rows with giant_nnz entries each. giant_nnz <= cols.
kl_status kl_make_giant_rows(int64_t rows, int64_t cols, int64_t per_row, int64_t giants,
                             int64_t giant_nnz, uint64_t seed, kl_csr *out_csr, kl_error *err);

// Any row lengths: row i gets lengths[i] columns (at most cols), drawn as for a uniform matrix.
kl_status kl_make_rows(int64_t rows, int64_t cols, const int32_t *lengths, uint64_t seed,
                       kl_csr *out_csr, kl_error *err);

#endif
