// The readable answer to lab 07 and the comparison with it (reference.c), and the problem
// (problem.c).
#pragma once

#include "gemm.h"
#include "problem.h"

// ---- reference.c --------------------------------------------------------------------------------

// A product and what is needed to judge it.
typedef struct gemm_check {
    int64_t m, n, k;
    const float *a; // [k][m]
    const float *b; // [n][k]
    float alpha, beta;
    const float *d; // [n][m], or NULL when beta is 0
    bool exact;     // integers whose sums all fit a float: the bound is 0
    uint64_t seed;  // of the samples and the probes of large products
} gemm_check;

// Doubles of the opaque answer.
uint64_t gemm_answer_doubles(int64_t m, int64_t n, int64_t k);

// Fills `answer`: [gemm_answer_doubles()].
kl_status gemm_solve(const gemm_check *check, double *answer, kl_error *err);

// c: [n][m], what a step wrote.
void gemm_compare(const gemm_check *check, const double *answer, const float *c,
                  kl_verdict *out_verdict);

extern const kl_problem gemm_problem;

// ---- padding ------------------------------------------------------------------------------------
// What rounding up to whole tiles costs a product, the one place where that is computed: the
// page's "upper bound" and its test follow from it. A product of m x k and k x n is
// computed in tiles of GEMM_TILE_AREA elements of C with 128 or 256 rows, or of half as many with
// 32 or 64, and of GEMM_TILE_DEPTH products of each, so no kernel of such tiles does less than
// gemm_padded_ops() operations. At the rate R that it reaches where nothing is padded, it reaches
// at most
//
//     R * (2 m n k) / gemm_padded_ops(m, n, k).
//
// Nor can it be done before all factors are read and all results written; who judges a time takes
// the worse of the two. Worked example: at 4097, 65 x 65 tiles of 64 x 64 and 513 steps of 8: 4160
// * 4160 * 4104 against 4097^3, 0.9683 R.

static inline int64_t gemm_round_up(int64_t value, int64_t to) {
    return (value + to - 1) / to * to;
}

// Additions and multiplications of the whole tiles of the shape that needs fewest; 0 for products
// that are not computed in tiles: of few rows or columns, of depth 1 or 0, and empty ones.
static inline double gemm_padded_ops(int64_t m, int64_t n, int64_t k) {
    double least = 0.0;
    if (m <= GEMM_FLAT_MOST || n <= GEMM_THIN_MOST || k <= 1) return 0.0;
    for (int64_t rows = GEMM_TILE_LEAST; rows <= GEMM_TILE_MOST; rows *= 2) {
        int64_t columns = GEMM_TILE_AREA / rows / (rows <= 64 ? 2 : 1);
        double ops = 2.0 * (double)gemm_round_up(m, rows) * (double)gemm_round_up(n, columns) *
                     (double)gemm_round_up(k, GEMM_TILE_DEPTH);
        least = least == 0.0 || ops < least ? ops : least;
    }
    return least;
}
