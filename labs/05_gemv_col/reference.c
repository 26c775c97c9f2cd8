// The readable answer to lab 05, in double precision, and the error bound with its derivation.
// Must not be linked into anything that a submission can read.
//
// Error bound. Let u = 2^-24 be the unit roundoff of float. An element of y is a sum of k products
// (k = n for A x, m for A^T x). A product, rounded or in a fused multiply-add, takes one factor
// (1 + d), |d| <= u, and each addition that it passes through another one. A sum of k terms in any
// order, started from the first term or from 0 (adding to 0 is exact), has at most k - 1 additions
// that round. So
//
//     |computed - exact| <= gamma_k * sum |a x|,    gamma_k = k u / (1 - k u)
//
// (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 3.1). The reference
// itself is a sum in double, whose error is below k 2^-53 sum |a x|: 2^-29 of the bound; 0x1p-40
// covers it for small k.
//
// Integers. When all a and x are integers and sum |a x| <= 2^24, no sum of any subset rounds, and
// the bound is 0: a missing product always shows.
//
// Infinities and NaN. In whatever order terms are added, a sum with a NaN, or with infinities of
// both signs, is NaN, and one with infinities of one sign is that infinity. So the reference's
// value holds for every step.
#include "reference.h"

#include "compare.h"

int64_t gemv_col_outputs(const gemv_col_check *c) {
    return c->op == GEMV_COL_AX ? c->m : c->n;
}

static double bound_of(const gemv_col_check *c, double magnitude) {
    double ku = (double)(c->op == GEMV_COL_AX ? c->n : c->m) * 0x1p-24;
    if (c->exact) return 0.0;
    return ku < 1.0 && isfinite(magnitude) ? (ku / (1.0 - ku) + 0x1p-40) * magnitude : INFINITY;
}

void gemv_col_solve(const gemv_col_check *c, double *answer) {
    int64_t outputs = gemv_col_outputs(c);
    double *want = answer, *magnitude = answer + outputs;
    memset(answer, 0, 2 * (size_t)outputs * sizeof *answer);
    for (int64_t j = 0; j < c->n; j++) { // along the columns of A, as they lie
        const float *column = c->a + j * c->m;
        for (int64_t i = 0; i < c->m; i++) {
            int64_t out = c->op == GEMV_COL_AX ? i : j;
            double product = (double)column[i] * (double)c->x[c->op == GEMV_COL_AX ? j : i];
            want[out] += product;
            magnitude[out] += fabs(product);
        }
    }
    for (int64_t k = 0; k < outputs; k++) magnitude[k] = bound_of(c, magnitude[k]);
}

// The products [from, to) of element k of y.
static double part_of(const gemv_col_check *c, int64_t k, int64_t from, int64_t to) {
    double sum = 0.0;
    for (int64_t p = from; p < to; p++) {
        int64_t at = c->op == GEMV_COL_AX ? k + p * c->m : p + k * c->m;
        sum += (double)c->a[at] * (double)c->x[p];
    }
    return sum;
}

// Says in a few words what kind of mistake gives this value of element k.
static void explain(const gemv_col_check *c, int64_t k, double want, double got, char *hint,
                    size_t bytes) {
    static const int64_t widths[] = {1, 2, 3, 4, 8, 16, 32, 64, 128, 256};
    int64_t length = c->op == GEMV_COL_AX ? c->n : c->m;
    double near = 1e-5 * (1.0 + fabs(want));
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        int64_t tail = widths[w] < 8 ? widths[w] : length % widths[w];
        if (tail > 0 && tail < length && fabs(part_of(c, k, 0, length - tail) - got) <= near) {
            snprintf(hint, bytes, "the last %lld products of y[%lld] are missing", (long long)tail,
                     (long long)k);
            return;
        }
        if (widths[w] < length && fabs(part_of(c, k, 0, widths[w]) - got) <= near) {
            snprintf(hint, bytes, "y[%lld] holds its first %lld products only", (long long)k,
                     (long long)widths[w]);
            return;
        }
    }
    double by_rows = 0.0;
    for (int64_t p = 0; p < length; p++)
        by_rows +=
            (double)c->a[c->op == GEMV_COL_AX ? k * c->n + p : p * c->n + k] * (double)c->x[p];
    if (fabs(by_rows - got) <= near) {
        snprintf(hint, bytes,
                 "y[%lld]: A is read as if it lay in memory row by row; it is column-major: its "
                 "element (i, j) is a[i + j * m]",
                 (long long)k);
        return;
    }
    if (fabs(2 * want - got) <= near && want != 0.0)
        snprintf(hint, bytes, "y[%lld] is twice its value", (long long)k);
}

static bool is_right(double got, double want, double bound) {
    return isnan(want) ? isnan(got) : kl_close(got, want, bound);
}

void gemv_col_compare(const gemv_col_check *c, const double *answer, const float *y,
                      kl_verdict *out_verdict) {
    int64_t outputs = gemv_col_outputs(c);
    kl_verdict *v = out_verdict;
    *v = (kl_verdict){.ok = true, .compared = (uint64_t)outputs};
    for (int64_t k = 0; k < outputs; k++) {
        double want = answer[k], bound = answer[outputs + k], got = y[k];
        double distance = isnan(want) && isnan(got) ? 0.0 : kl_distance(got, want);
        v->max_error = distance > v->max_error ? distance : v->max_error;
        if (!is_right(got, want, bound) && v->ok) {
            v->ok = false;
            v->first_wrong = (uint64_t)k;
            v->expected = want;
            v->got = got;
            v->bound = bound;
        }
    }
    if (!v->ok) {
        int64_t k = (int64_t)v->first_wrong;
        explain(c, k, v->expected, v->got, v->hint, sizeof v->hint);
    }
}
