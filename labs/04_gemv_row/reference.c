// Answer and bound of lab 04, in double precision. Must not be linked into anything that a
// submission can read.
//
// An element of y is a sum of n products. Let u = 2^-24 be the unit roundoff of float. In any order
// of additions, each product passes through at most n roundings (its own, unless it is fused, and
// n - 1 additions), so with s the sum of the products' magnitudes
//
//     |computed - exact| <= gamma_n * s,    gamma_n = n u / (1 - n u)
//
// (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 3.1), plus half the
// least denormal for each product that is too small for a float. Where all products are integers
// and s is at most 2^24, every partial sum in any order is an integer of at most 2^24, hence a
// float: nothing rounds, the bound is 0, and one missing product always shows. The answer itself is
// added up in double, whose error is covered by 2^-28 of the bound for any n up to 2^25, and by the
// last term above that.
//
// With an infinity or a NaN among a row's products the bound is 0 and the answer what IEEE
// arithmetic gives: an infinity of that sign, or NaN. (A comparison never takes NaN for right, so
// problem.c makes rows of which the answer is an infinity.)
#include "reference.h"

#include <float.h>

void gemv_row_reference(const float *a, const float *x, int64_t m, int64_t n, double *y,
                        double *bound) {
    double rounding = (double)n * 0x1p-24;
    double gamma = rounding < 1.0 ? rounding / (1.0 - rounding) : INFINITY;
    for (int64_t i = 0; i < m; i++) {
        const float *row = a + i * n;
        double sum = 0.0, magnitudes = 0.0;
        bool whole = true;
        for (int64_t j = 0; j < n; j++) {
            double product = (double)row[j] * (double)x[j]; // exact: 24 + 24 bits
            whole = whole && product == nearbyint(product);
            sum += product;
            magnitudes += fabs(product);
        }
        bool exact = whole && magnitudes <= 0x1p24;
        double rounded = gamma * magnitudes + (double)n * (FLT_TRUE_MIN + 0x1p-53 * magnitudes);
        y[i] = sum;
        bound[i] = exact || !isfinite(sum) ? 0.0 : rounded;
    }
}
