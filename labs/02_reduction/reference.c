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

// A tree over the 32 lanes of a warp that begins with half the distance or less leaves lanes out,
// of which each has loaded one element at a time, or four.
static void explain_lanes(const float *x, int64_t n, double got, double scale, char *hint,
                          size_t bytes) {
    enum { LANES = 32 };
    double by_lane[2][LANES] = {{0.0}};
    for (int64_t i = 0; i < n; i++) {
        by_lane[0][i % LANES] += x[i];
        by_lane[1][i / 4 % LANES] += x[i];
    }
    for (int fours = 0; fours < (n > 4 * LANES ? 2 : 1); fours++) {
        double sum = by_lane[fours][0];
        for (int lane = 1; lane < LANES - 1; lane++) {
            sum += by_lane[fours][lane];
            bool halved = (lane & (lane + 1)) == 0; // a tree is over 2, 4, 8 or 16 lanes
            if (!halved || n <= lane + 2 || !near(got, sum, scale)) continue;
            snprintf(hint, bytes,
                     n > LANES ? "exactly the elements of lanes %d to 31 of each warp are missing: "
                                 "over 32 lanes the distances are 16, 8, 4, 2 and 1"
                               : "exactly the elements from %d on are missing: those of lanes in "
                                 "the upper part of a warp",
                     lane + 1);
        }
    }
}

static void explain_sum(const float *x, int64_t n, double want, double got, char *hint,
                        size_t bytes) {
    static const int64_t granules[] = {2, 4, 32, 256, 512, 1024, 4096};
    double missing = want - got, scale = fabs(want);
    if (got != 0.0 && near(got, 2.0 * want, scale)) snprintf(hint, bytes, "twice the sum");
    if (n <= 2) return; // of one or two elements either may be missing, by many mistakes
    if (near(missing, x[0], scale)) snprintf(hint, bytes, "exactly the first element is missing");
    for (size_t g = 0; g < sizeof granules / sizeof granules[0]; g++) {
        int64_t tail = n % granules[g];
        if (tail > 0 && tail < n && near(missing, sum_of(x, n - tail, n), scale))
            snprintf(hint, bytes, "exactly the elements from %lld on are missing",
                     (long long)(n - tail));
    }
    if (near(missing, x[n - 1], scale))
        snprintf(hint, bytes, "exactly the last element is missing");
    explain_lanes(x, n, got, scale, hint, bytes);
}

static const char *explain_max(const float *x, int64_t n, double want, double got) {
    if (kl_is_never_written(got)) return "";
    if (got > want) return "larger than every element";
    if (n > 1 && (double)x[n - 1] == want) return "the largest element is the last one";
    if (n > 1 && (double)x[0] == want) return "the largest element is the first one";
    return "";
}

void reduction_explain(const float *x, int64_t n, reduction_op op, double want, double got,
                       char *hint, size_t hint_bytes) {
    hint[0] = '\0';
    if (n == 0)
        snprintf(hint, hint_bytes, "no elements: the sum is 0 and the maximum -infinity");
    else if (op == REDUCTION_MAX)
        snprintf(hint, hint_bytes, "%s", isnan(got) ? "" : explain_max(x, n, want, got));
    else
        explain_sum(x, n, want, got, hint, hint_bytes);
}
