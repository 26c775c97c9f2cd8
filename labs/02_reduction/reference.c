// SPDX-License-Identifier: MIT
// The readable answer to lab 02, in double precision, and the error bound with its derivation.
// Must not be linked into anything that a submission can read.
//
// Error bound of a sum. Let u = 2^-24 be the unit roundoff of float. One addition gives
// fl(a + b) = (a + b)(1 + d) with |d| <= u. In a sum taken in any order, element x[i] is
// multiplied by one such factor for each addition that it passes through, k_i of them. With
// k = max k_i,
//
//     |computed - exact| <= sum |x[i]| * ((1 + u)^k - 1) <= gamma_k * sum |x[i]|,
//     gamma_k = k u / (1 - k u)
//
// (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., lemma 3.1, section 4.2).
// The contract fixes k = reduction_longest_chain(n) = ceil(n/256) + 254, the chain of step 0,
// the longest of all nine:
//
//     step 0      ceil(n/256) - 1 in a thread, 255 over the block:  ceil(n/256) + 254
//     steps 1-3   8 a round, at most 4 rounds up to n = 2^31:       <= 32
//     steps 4, 5  9 a round, at most 4 rounds:                      <= 36
//     steps 6, 8  a thread's elements, at most ceil(n/256); 8 over the block; then the same
//                 for at most 4096 partial results:                 < step 0
//     step 7      as 6, but the partial results, at most one for every 4096 elements, are
//                 added one after the other:                        < step 0
//
// An addition to the initial 0 is exact and not counted. The reference itself is compensated
// (Neumaier, ZAMM 54, 1974): its error is about 2^-53 of the sum of |x| and is added to the
// bound.
//
// Exact cases. When all x are integers and neither the sum of the positive nor that of the
// negative ones exceeds 2^24 in magnitude, then neither does the sum of any subset. Each partial
// sum is an integer of at most 2^24, hence a float: no order rounds, the bound is 0, and one
// missing element always shows.
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"

// Sum of x[0..n-1] and of |x|, by Neumaier's compensated summation.
static double compensated_sum(const float *x, int64_t n, double *out_sum_abs) {
    double sum = 0.0;
    double lost = 0.0; // what the additions to `sum` have rounded away
    double sum_abs = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double term = x[i];
        double next = sum + term;
        lost += fabs(sum) >= fabs(term) ? (sum - next) + term : (term - next) + sum;
        sum = next;
        sum_abs += fabs(term);
    }
    *out_sum_abs = sum_abs;
    return sum + lost;
}

static double maximum(const float *x, int64_t n) {
    double largest = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if ((double)x[i] > largest) largest = x[i];
    }
    return largest;
}

// gamma_k of the float format; infinite where the bound says nothing any more.
static double gamma_factor(int64_t k) {
    double ku = (double)k * 0x1p-24;
    return ku < 1.0 ? ku / (1.0 - ku) : INFINITY;
}

reduction_answer reduction_reference(const float *x, int64_t n, reduction_op op, bool exact) {
    if (op == REDUCTION_MAX) return (reduction_answer){.value = maximum(x, n), .bound = 0.0};
    double sum_abs = 0.0;
    double sum = compensated_sum(x, n, &sum_abs);
    double bound = gamma_factor(reduction_longest_chain(n)) * sum_abs + 0x1p-52 * sum_abs;
    return (reduction_answer){.value = sum, .bound = exact || n == 0 ? 0.0 : bound};
}

static double sum_of(const float *x, int64_t from, int64_t to) {
    double sum = 0.0;
    for (int64_t i = from < 0 ? 0 : from; i < to; i++) sum += x[i];
    return sum;
}

static bool near(double a, double b, double scale) {
    return fabs(a - b) <= 1e-6 * (1.0 + scale);
}

static const char *explain_sum(const float *x, int64_t n, double want, double got) {
    double missing = want - got;
    double scale = fabs(want);
    if (isinf(got)) {
        return "infinite: is something narrower than float in use, or was a value added that "
               "was never written?";
    }
    if (got == 0.0 && want != 0.0)
        return "the result is 0: is anything added, or is the result overwritten at the end?";
    if (near(got, 2.0 * want, scale))
        return "twice the sum: is every element loaded by two threads?";
    bool telling = n > 2; // of one or two elements either may be missing, by many mistakes
    if (telling && near(missing, x[n - 1], scale))
        return "exactly the last element is missing: check the comparison with n";
    if (telling && near(missing, x[0], scale)) return "exactly the first element is missing";
    static const int64_t granules[] = {4, 32, 256, 512, 1024, 4096};
    for (size_t g = 0; g < sizeof granules / sizeof granules[0]; g++) {
        int64_t tail = n % granules[g];
        if (tail > 0 && tail < n && near(missing, sum_of(x, n - tail, n), scale))
            return "the elements after the last full vector or block are missing: handle the tail";
    }
    return "a wrong sum: a wrong stride, elements read twice or never, or a missing barrier, which "
           "ladder check finds";
}

static const char *explain_max(const float *x, int64_t n, double want, double got) {
    if (got == 0.0 && want < 0.0)
        return "0 although all elements are negative: start the maximum at -infinity, not at 0";
    if (got > want)
        return "larger than every element: something outside the array, or not written, was read";
    if ((double)x[n - 1] == want)
        return "the largest element is the last one and was not seen: handle the tail";
    if ((double)x[0] == want) return "the largest element is the first one and was not seen";
    return "the largest element was not seen: is every element loaded, and every lane's value "
           "used?";
}

void reduction_explain(const float *x, int64_t n, reduction_op op, double want, double got,
                       char *hint, size_t hint_bytes) {
    const char *text = "";
    if (isnan(got)) {
        text = kl_nan_cause(got);
    } else if (n == 0) {
        text = "no elements: the sum is 0 and the maximum -infinity, and both must be written";
    } else if (op == REDUCTION_MAX) {
        text = explain_max(x, n, want, got);
    } else {
        text = explain_sum(x, n, want, got);
    }
    snprintf(hint, hint_bytes, "%s", text);
}
