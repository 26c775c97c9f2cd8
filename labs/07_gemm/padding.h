// SPDX-License-Identifier: MIT
// What rounding up to whole tiles costs a product, the one place where that is reckoned: the handout's "of what padding
// allows" and its test follow from it. A product of m x k and k x n is computed in tiles of at least GEMM_TILE_ROWS x
// GEMM_TILE_COLUMNS elements of C and GEMM_TILE_DEPTH products of each, so no kernel of such tiles does less than
// gemm_padded_ops() operations. At the rate R that it reaches where nothing is padded, it reaches at most
//
//     R * (2 m n k) / gemm_padded_ops(m, n, k).
//
// Worked example: at 4097, 33 x 65 tiles of 128 x 64 and 513 steps of 8: 4224 * 4160 * 4104 against 4097^3, 0.9536 R.
#ifndef GEMM_PADDING_H
#define GEMM_PADDING_H

#include "gemm.h"

static inline int64_t gemm_round_up(int64_t value, int64_t to) {
    return (value + to - 1) / to * to;
}

// Additions and multiplications of the whole tiles; 0 for products that are not computed in tiles: slim ones, those of
// depth 1 or 0, and empty ones.
static inline double gemm_padded_ops(int64_t m, int64_t n, int64_t k) {
    if (m <= GEMM_SLIM_MOST || n <= GEMM_SLIM_MOST || k <= 1) {
        return 0.0;
    }
    return 2.0 * (double)gemm_round_up(m, GEMM_TILE_ROWS) *
           (double)gemm_round_up(n, GEMM_TILE_COLUMNS) * (double)gemm_round_up(k, GEMM_TILE_DEPTH);
}

#endif
