// The readable answer of lab 08 and how far a step may be from it. Host only.
#pragma once

#include "problem.h"
#include "sparse.h"
#include "spmv.h"

// Products of the lab's own matrices are multiples of 2^-bits: values are sixteenths
// (sparse_generate.h), those of double have finer digits beside, and vectors hold integers.
enum { SPMV_FLOAT_UNIT_BITS = 4, SPMV_DOUBLE_UNIT_BITS = 36 };

// y: [rows], exact products added in double from left to right; bound: [rows], the largest error
// that an allowed order of additions in `type` can have, 0 where no addition rounds.
// x: [cols], values that both types hold.
void spmv_reference(const kl_csr *a, const double *x, spmv_type type, double *y, double *bound);

extern const kl_problem spmv_problem;

// The buffers, numbers and work of a product with such a matrix (problem.c); family and seed are
// left 0.
void spmv_describe_matrix(int64_t rows, int64_t cols, int64_t nnz, spmv_type type,
                          kl_case *out_case);

// x: [cols] of `type`: whole numbers from -4 to 4, none of them 0.
void spmv_make_vector(uint64_t seed, int64_t cols, spmv_type type, void *x);
