// Answer and bound of lab 08.
//
// A row's element is a sum of n products. Where each product is a multiple of a unit 2^-b, as those
// of the lab's own matrices are, so is each partial sum; while the sum of the products' magnitudes
// is at most 2^p units (p: 24 or 53 bits of the type), every partial sum in any order is a number
// of the type, and the result is exact. Else each of the n - 1 additions and n products rounds by
// at most u = 2^-p of a magnitude that is at most the sum of magnitudes s: |error| <= 2 n u s to
// first order (Higham, "Accuracy and Stability of Numerical Algorithms", section 4.2), and a
// product near 0 by half the type's least number. The answer itself is added up in double and
// rounds likewise, which counts where the type is double.
#include "reference.h"

#include <float.h>

void spmv_reference(const kl_csr *a, const double *x, spmv_type type, double *y, double *bound) {
    int bits = type == SPMV_FLOAT ? 24 : 53;
    double sums = type == SPMV_FLOAT ? 1.0 : 2.0; // that round
    double least = type == SPMV_FLOAT ? FLT_TRUE_MIN : DBL_TRUE_MIN;
    double units = ldexp(1.0, type == SPMV_FLOAT ? SPMV_FLOAT_UNIT_BITS : SPMV_DOUBLE_UNIT_BITS);
    for (int64_t i = 0; i < a->rows; i++) {
        double sum = 0.0, magnitudes = 0.0;
        bool exact = true;
        int32_t length = a->ptr[i + 1] - a->ptr[i];
        for (int32_t k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            double product = a->val[k] * x[a->col[k]];
            exact = exact && product * units == floor(product * units);
            sum += product;
            magnitudes += fabs(product);
        }
        exact = exact && magnitudes * units <= ldexp(1.0, bits);
        y[i] = sum;
        bound[i] = exact ? 0.0 : sums * length * (2.0 * ldexp(magnitudes, -bits) + least);
    }
}
