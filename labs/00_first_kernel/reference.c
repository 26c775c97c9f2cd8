// The readable answers to lab 00. Must not be linked into anything that a submission can read.
//
// Error bounds, with u = 2^-24 and gamma_k = k u / (1 - k u) (Higham, "Accuracy and Stability of
// Numerical Algorithms", 2nd ed., lemma 3.1):
//   scale, difference   one operation, correctly rounded: no error but that rounding; a lookup has
//                       none
//   polynomial          7 rounds of Horner, two roundings each (one, fused): gamma_14 * sum |c_k|
//                       |x|^k, and a power form x^k needs no more than 7 roundings a term and 7 for
//                       the sum, gamma_14 again
//   paths, even         v' = v/2 + x: the half is exact, the sum rounds by u |v'| <= 2 u x, and
//                       each round halves what came before: <= 4 u x, where v <= 2 x. With a
//                       reciprocal or a division it is the same.
//   paths, odd          v' = sqrt(v + x) with 1 <= v <= 2, 1 <= x < 2: the sum rounds by <= 4 u, of
//                       which the root takes 1 / (2 sqrt(2)); the root rounds by 2 u; what came
//                       before shrinks by 1 / (2 sqrt(2)): <= (1.5 + 2) u / (1 - 0.36) < 6 u.
//                       Allowed are 8 u: a root that is not rounded to the nearest
//                       (-prec-sqrt=false) has about one unit in the last place more.
#include "reference.h"

static const double u = 0x1p-24;

void first_kernel_reference_scale(const float *x, int64_t n, float a, double *out_value,
                                  double *out_bound) {
    for (int64_t i = 0; i < n; i++) {
        out_value[i] = a * x[i]; // in float: the right answer is the rounded one
        out_bound[i] = 0.0;
    }
}

void first_kernel_reference_difference(const float *x, int64_t n, double *out_value,
                                       double *out_bound) {
    for (int64_t i = 0; i < n; i++) {
        out_value[i] = i == 0 ? x[0] : x[i] - x[i - 1];
        out_bound[i] = 0.0;
    }
}

void first_kernel_reference_polynomial(const float *x, int64_t n, const double *coefs,
                                       double *out_value, double *out_bound) {
    enum { ROUNDINGS = 2 * (FIRST_KERNEL_COEFS - 1) };
    double gamma = ROUNDINGS * u / (1.0 - ROUNDINGS * u);
    for (int64_t i = 0; i < n; i++) {
        double value = 0.0, size = 0.0;
        for (int k = FIRST_KERNEL_COEFS - 1; k >= 0; k--) {
            value = value * x[i] + coefs[k];
            size = size * fabs((double)x[i]) + fabs(coefs[k]);
        }
        out_value[i] = value;
        out_bound[i] = gamma * size;
    }
}

void first_kernel_reference_lookup(const uint8_t *index, int64_t n, const float *table,
                                   double *out_value, double *out_bound) {
    for (int64_t i = 0; i < n; i++) {
        out_value[i] = table[index[i]];
        out_bound[i] = 0.0;
    }
}

void first_kernel_reference_paths(const float *x, int64_t n, int rounds, double *out_value,
                                  double *out_bound) {
    enum {
        PAIRS = 16
    }; // at a time: a root waits for the one before it, and not for its neighbours
    for (int64_t first = 0; first < n; first += 2 * PAIRS) {
        double even[PAIRS] = {0}, odd[PAIRS] = {0}, even_x[PAIRS] = {0}, odd_x[PAIRS] = {0};
        int64_t count = n - first < 2 * PAIRS ? n - first : 2 * PAIRS;
        for (int64_t i = 0; i < count; i++) (i % 2 == 0 ? even_x : odd_x)[i / 2] = x[first + i];
        memcpy(even, even_x, sizeof even);
        memcpy(odd, odd_x, sizeof odd);
        for (int r = 0; r < rounds; r++) {
            for (int k = 0; k < PAIRS; k++) even[k] = even[k] / 2 + even_x[k];
            for (int k = 0; k < PAIRS; k++) odd[k] = sqrt(odd[k] + odd_x[k]);
        }
        for (int64_t i = 0; i < count; i++) {
            out_value[first + i] = (i % 2 == 0 ? even : odd)[i / 2];
            out_bound[first + i] = i % 2 == 0 ? 4 * u * x[first + i] : 8 * u;
        }
    }
}

// Sum of the group of element i.
static double group_sum(const float *x, int64_t i) {
    const float *group = x + i / FIRST_KERNEL_GROUP * FIRST_KERNEL_GROUP;
    double sum = 0.0;
    for (int k = 0; k < FIRST_KERNEL_GROUP; k++) sum += group[k];
    return sum;
}

void first_kernel_reference_map(int task, const float *x, int64_t n, double *out_value,
                                double *out_bound) {
    for (int64_t i = 0; i < n; i++) {
        out_bound[i] = 0.0;
        switch (task) {
        case FIRST_KERNEL_FORWARD: out_value[i] = (i + 1 < n ? x[i + 1] : 0.0f) - x[i]; break;
        case FIRST_KERNEL_OTHERS: out_value[i] = group_sum(x, i) - x[i]; break;
        case FIRST_KERNEL_PLUS_TWO: out_value[i] = x[i] + 2.0f; break;
        default: out_value[i] = 2.0f * x[i]; break;
        }
    }
}
