// SPDX-License-Identifier: MIT
// Answer and bound of lab 08.
//
// A row's element is a sum of n products. Values are multiples of 1/16 and x holds integers, so each
// product and each partial sum is a multiple of 1/16; while the sum of the products' magnitudes is
// below 2^p / 16 (p: 24 or 53 bits of the type), every partial sum in any order is a number of the
// type, and the result is exact. Beyond that, each of the n - 1 additions and n products rounds by
// at most u = 2^-p of a magnitude that is at most the sum of magnitudes s: |error| <= 2 n u s to
// first order (Higham, "Accuracy and Stability of Numerical Algorithms", section 4.2).
#include "reference.h"

#include <math.h>

void spmv_reference(const kl_csr *a, const double *x, spmv_type type, double *y, double *bound) {
    int bits = type == SPMV_FLOAT ? 24 : 53;
    for (int64_t i = 0; i < a->rows; i++) {
        double sum = 0.0, magnitudes = 0.0;
        for (int32_t k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            double product = a->val[k] * x[a->col[k]];
            sum += product;
            magnitudes += fabs(product);
        }
        bool exact = 16.0 * magnitudes <= ldexp(1.0, bits);
        y[i] = sum;
        bound[i] = exact ? 0.0 : 2.0 * (a->ptr[i + 1] - a->ptr[i]) * ldexp(magnitudes, -bits);
    }
}
