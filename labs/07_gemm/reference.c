// The readable answer to lab 07, in double precision, its error bounds with their derivation, and
// the comparison. Must not be linked into anything that a submission can read.
//
// Bound of one element. Let u = 2^-24. c = sum of k products a b. Each product is rounded at most
// once and passes through at most k roundings of additions, whatever the order, so (Higham,
// "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 3.1)
//
//     |computed - exact| <= gamma_(k+1) * sum |a b|,   gamma_k = k u / (1 - k u).
//
// With alpha and beta D three more roundings: gamma_(k+3) * (|alpha| sum |a b| + |beta d|). Only
// products small enough for the whole comparison have them.
//
// Integers. When all a and b are integers and sum |a b| <= 2^24, no sum of any subset rounds: the
// bound is 0.
//
// Large products. Every element in double would take minutes, so above FULL_WORK multiply-adds are
// compared: every element of SAMPLES rows and SAMPLES columns, the first and the last among them,
// by the bound above; and all rows through PROBES random combinations of their elements (Freivalds,
// "Probabilistic machines can use less running time", 1977): with x[j] of random sign and random
// magnitude in [1/2, 1), unknown to the step, C x must be A (B x), which costs m n + n k + m k. One
// wrong element of row i changes (C x)[i] by at least half its error, and errors of several
// elements that cancel under one x, as they can where all magnitudes are equal, do not under the
// others. The worst case of the rounding would hide that, so here the errors are taken as what they
// are for random inputs, independent with mean 0 (Higham and Mary, SIAM J. Sci.
// Comput. 41, 2019): with probability above 1 - 1e-13 a sum of errors is within L = 8 of its
// standard deviations, and so is each partial sum of element (i, j) within L q, q^2 = sum over p of
// a^2 b^2. Then
//
//     |error of (C x)[i]| <= L u sqrt(k + 1) * L * sqrt(sum over j of q_ij^2)
//                          = 64 u sqrt(k + 1) * sqrt(sum over p of a[i,p]^2 * sum over j of
//                          b[p,j]^2),
//
// for |x[j]| = 1, and less for smaller ones: at 4096 and elements in [-1, 1) about 0.3, where a
// single missing product is 0.3 and a missing element 20. Magnitudes have 12 bits: with integers of
// 24 bits C x is exact in double, and this bound is 0 as well.
#include "reference.h"

#include "compare.h"
#include "random.h"

enum { SAMPLES = 8, PROBES = 3 };
static const double full_work = 1 << 27; // multiply-adds that are still done one by one

static bool is_full(int64_t m, int64_t n, int64_t k) {
    return (double)m * (double)n * (double)k <= full_work;
}

static double gamma_factor(int64_t k) {
    double ku = (double)k * 0x1p-24;
    return ku < 1.0 ? ku / (1.0 - ku) : INFINITY;
}

// Sample number s of `count` rows or columns: the first, the last, and others at random.
static int64_t sample(const gemm_check *check, int stream, int s, int64_t count) {
    if (s < 2) return s == 0 ? 0 : count - 1;
    return (int64_t)kl_random_below(kl_random_fork(check->seed, (uint64_t)stream), (uint64_t)s,
                                    (uint64_t)count);
}

// Answer of a small product: want and bound of every element, as C lies. Of a large one: want and
// bound of SAMPLES columns, then of SAMPLES rows, then (A (B x))[i] and its bound for each row i,
// probe by probe.
uint64_t gemm_answer_doubles(int64_t m, int64_t n, int64_t k) {
    if (is_full(m, n, k)) return 2 * (uint64_t)(m * n);
    return 2 * (uint64_t)(SAMPLES * (m + n) + PROBES * m);
}

// One element and its bound, from row i of A: [k] and column j of B: [k].
static void element(const gemm_check *g, const float *row, const float *column, double *out_want,
                    double *out_bound) {
    double sum = 0.0, magnitude = 0.0;
    for (int64_t p = 0; p < g->k; p++) {
        double product = (double)row[p] * (double)column[p];
        sum += product;
        magnitude += fabs(product);
    }
    *out_want = sum;
    *out_bound = g->exact ? 0.0 : (gamma_factor(g->k + 1) + 0x1p-40) * magnitude;
}

// What alpha and beta make of an element's value and bound; at: its place in C and D.
static void scale(const gemm_check *g, uint64_t at, double *want, double *bound) {
    if (!g->d) return;
    double added = (double)g->beta * (double)g->d[at];
    double magnitude = *bound / (gamma_factor(g->k + 1) + 0x1p-40);
    *want = (double)g->alpha * *want + added;
    *bound =
        (gamma_factor(g->k + 3) + 0x1p-40) * (fabs((double)g->alpha) * magnitude + fabs(added));
}

static void gather_row(const gemm_check *g, int64_t i, float *row) {
    for (int64_t p = 0; p < g->k; p++) row[p] = g->a[p * g->m + i];
}

// x[j] of a probe: a sign and a magnitude in [1/2, 1) of 12 bits.
static double weight_of(const gemm_check *g, int probe, int64_t j) {
    uint64_t bits = kl_random_u64(kl_random_fork(g->seed, 2 + (uint64_t)probe), (uint64_t)j);
    double magnitude = (double)(2048 + (bits >> 1 & 2047)) / 4096.0;
    return bits & 1 ? magnitude : -magnitude;
}

// probe[i] = (A (B x))[i]; bound[i] as derived above. scratch: [2 k].
static void solve_probe(const gemm_check *g, int number, double *scratch, double *probe,
                        double *bound) {
    double *bx = scratch, *b2 = scratch + g->k;
    memset(scratch, 0, 2 * (size_t)g->k * sizeof *scratch);
    for (int64_t j = 0; j < g->n; j++) {
        double x = weight_of(g, number, j);
        for (int64_t p = 0; p < g->k; p++) {
            double b = g->b[j * g->k + p];
            bx[p] += x * b;
            b2[p] += b * b;
        }
    }
    memset(probe, 0, (size_t)g->m * sizeof *probe);
    memset(bound, 0, (size_t)g->m * sizeof *bound);
    for (int64_t p = 0; p < g->k; p++) {
        for (int64_t i = 0; i < g->m; i++) {
            double a = g->a[p * g->m + i];
            probe[i] += a * bx[p];
            bound[i] += a * a * b2[p];
        }
    }
    for (int64_t i = 0; i < g->m; i++)
        bound[i] = g->exact ? 0.0 : 64.0 * 0x1p-24 * sqrt((double)(g->k + 1)) * sqrt(bound[i]);
}

static void solve_samples(const gemm_check *g, float *row, double *want, double *bound) {
    for (int s = 0; s < SAMPLES; s++) {
        const float *column = g->b + sample(g, 0, s, g->n) * g->k;
        double *w = want + s * g->m, *e = bound + s * g->m;
        memset(w, 0, (size_t)g->m * sizeof *w);
        memset(e, 0, (size_t)g->m * sizeof *e);
        for (int64_t p = 0; p < g->k; p++) { // along the columns of A, as they lie
            for (int64_t i = 0; i < g->m; i++) {
                double product = (double)g->a[p * g->m + i] * (double)column[p];
                w[i] += product;
                e[i] += fabs(product);
            }
        }
        for (int64_t i = 0; i < g->m; i++)
            e[i] = g->exact ? 0.0 : (gamma_factor(g->k + 1) + 0x1p-40) * e[i];
    }
    want += SAMPLES * g->m;
    bound += SAMPLES * g->m;
    for (int s = 0; s < SAMPLES; s++) {
        gather_row(g, sample(g, 1, s, g->m), row);
        for (int64_t j = 0; j < g->n; j++)
            element(g, row, g->b + j * g->k, &want[s * g->n + j], &bound[s * g->n + j]);
    }
}

kl_status gemm_solve(const gemm_check *g, double *answer, kl_error *err) {
    uint64_t half = gemm_answer_doubles(g->m, g->n, g->k) / 2;
    double *want = answer, *bound = answer + half;
    float *row = malloc((size_t)g->k * sizeof *row + 1);
    double *scratch = malloc(2 * (size_t)g->k * sizeof *scratch + 1);
    if (!row || !scratch) {
        free(row);
        free(scratch);
        return kl_fail(err, KL_ERROR_MEMORY, "gemm: no memory for the reference");
    }
    if (is_full(g->m, g->n, g->k)) {
        for (int64_t i = 0; i < g->m; i++) {
            gather_row(g, i, row);
            for (int64_t j = 0; j < g->n; j++) {
                uint64_t at = (uint64_t)(j * g->m + i);
                element(g, row, g->b + j * g->k, &want[at], &bound[at]);
                scale(g, at, &want[at], &bound[at]);
            }
        }
    } else {
        int64_t samples = SAMPLES * (g->m + g->n);
        solve_samples(g, row, want, bound);
        for (int t = 0; t < PROBES; t++) {
            int64_t at = samples + t * g->m;
            solve_probe(g, t, scratch, want + at, bound + at);
        }
    }
    free(row);
    free(scratch);
    return KL_OK;
}

// ---- comparison --------------------------------------------------------------------------------

// Takes element (i, j) into the verdict.
static void look_at(const gemm_check *g, int64_t i, int64_t j, const float *c, double want,
                    double bound, kl_verdict *v) {
    uint64_t at = (uint64_t)(j * g->m + i);
    double got = c[at];
    double distance = kl_distance(got, want);
    v->compared++;
    v->max_error = distance > v->max_error ? distance : v->max_error;
    if (!kl_close(got, want, bound) && (v->ok || at < v->first_wrong)) {
        v->ok = false;
        v->first_wrong = at;
        v->expected = want;
        v->got = got;
        v->bound = bound;
    }
}

static void compare_samples(const gemm_check *g, const double *want, const double *bound,
                            const float *c, kl_verdict *v) {
    for (int s = 0; s < SAMPLES; s++) {
        for (int64_t i = 0; i < g->m; i++)
            look_at(g, i, sample(g, 0, s, g->n), c, want[s * g->m + i], bound[s * g->m + i], v);
    }
    want += SAMPLES * g->m;
    bound += SAMPLES * g->m;
    for (int s = 0; s < SAMPLES; s++) {
        for (int64_t j = 0; j < g->n; j++)
            look_at(g, sample(g, 1, s, g->m), j, c, want[s * g->n + j], bound[s * g->n + j], v);
    }
}

// The element of row i that differs most from its value; its column.
static int64_t worst_of_row(const gemm_check *g, int64_t i, const float *c, double *out_want) {
    int64_t worst = 0;
    double most = -1.0;
    for (int64_t j = 0; j < g->n; j++) {
        double want = 0.0;
        for (int64_t p = 0; p < g->k; p++)
            want += (double)g->a[p * g->m + i] * (double)g->b[j * g->k + p];
        double distance = kl_distance(c[j * g->m + i], want);
        if (distance > most) {
            most = distance;
            worst = j;
            *out_want = want;
        }
    }
    return worst;
}

// Takes a row whose combination is off into the verdict, by its worst element.
static void take_row(const gemm_check *g, int64_t i, double bound, const float *c, kl_verdict *v) {
    double want = 0.0;
    int64_t j = worst_of_row(g, i, c, &want);
    v->ok = false;
    v->first_wrong = (uint64_t)(j * g->m + i);
    v->expected = want;
    v->got = c[v->first_wrong];
    v->bound = bound;
    v->max_error = kl_distance(v->got, want);
}

// probes, bounds: [PROBES][m]. One pass over C serves all probes.
static void compare_probes(const gemm_check *g, const double *probes, const double *bounds,
                           const float *c, kl_verdict *v) {
    double *cx = calloc(PROBES * (size_t)g->m, sizeof *cx);
    if (!cx) {
        v->ok = false;
        snprintf(v->hint, sizeof v->hint, "no memory for the comparison");
        return;
    }
    for (int64_t j = 0; j < g->n; j++) {
        for (int t = 0; t < PROBES; t++) {
            double x = weight_of(g, t, j), *sums = cx + t * g->m;
            for (int64_t i = 0; i < g->m; i++) sums[i] += x * (double)c[j * g->m + i];
        }
    }
    v->compared += (uint64_t)(g->m * g->n);
    for (int64_t i = 0; i < PROBES * g->m && v->ok; i++)
        if (!kl_close(cx[i], probes[i], bounds[i])) take_row(g, i % g->m, bounds[i], c, v);
    free(cx);
}

static double dot(const gemm_check *g, int64_t i, int64_t j, int64_t from, int64_t to) {
    double sum = 0.0;
    for (int64_t p = from; p < to; p++)
        sum += (double)g->a[p * g->m + i] * (double)g->b[j * g->k + p];
    return sum;
}

// Whether `got` comes from reading A, B or both as if rows lay side by side in memory.
static bool is_row_major(const gemm_check *g, int64_t i, int64_t j, double got, double near,
                         const char **out_which) {
    static const char *const which[] = {"A", "B", "A and B"};
    for (int wrong = 1; wrong < 4; wrong++) {
        double sum = 0.0;
        for (int64_t p = 0; p < g->k; p++)
            sum += (double)g->a[wrong & 1 ? i * g->k + p : p * g->m + i] *
                   (double)g->b[wrong & 2 ? p * g->n + j : j * g->k + p];
        if (fabs(sum - got) > near) continue;
        *out_which = which[wrong - 1];
        return true;
    }
    return false;
}

// Says in a few words what kind of mistake gives this value at element (i, j).
static void explain(const gemm_check *g, int64_t i, int64_t j, double got, char *hint,
                    size_t bytes) {
    double near = 1e-4 * (1.0 + fabs(got));
    static const int64_t widths[] = {4, 8, 16, 32, 64};
    snprintf(hint, bytes, "this is row %lld, column %lld of C", (long long)i, (long long)j);
    if (isnan(got)) return;
    if (g->k == 0) {
        snprintf(hint, bytes, "k is 0: every element is an empty sum, and 0 must be written");
        return;
    }
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        int64_t tail = g->k % widths[w];
        if (tail > 0 && fabs(dot(g, i, j, 0, g->k - tail) - got) <= near) {
            snprintf(hint, bytes, "the last %lld products are missing", (long long)tail);
            return;
        }
        if (g->k > widths[w] && fabs(dot(g, i, j, widths[w], g->k) - got) <= near) {
            snprintf(hint, bytes, "the first %lld products are missing", (long long)widths[w]);
            return;
        }
    }
    if (i < g->n && j < g->m && fabs(dot(g, j, i, 0, g->k) - got) <= near) {
        snprintf(hint, bytes, "the value of element (%lld, %lld)", (long long)j, (long long)i);
        return;
    }
    const char *which = "";
    if (is_row_major(g, i, j, got, near, &which))
        snprintf(hint, bytes,
                 "element (%lld, %lld): read as if %s lay in memory row by row; all matrices here "
                 "are column-major",
                 (long long)i, (long long)j, which);
}

void gemm_compare(const gemm_check *g, const double *answer, const float *c,
                  kl_verdict *out_verdict) {
    kl_verdict *v = out_verdict;
    *v = (kl_verdict){.ok = true};
    const double *want = answer, *bound = answer + gemm_answer_doubles(g->m, g->n, g->k) / 2;
    if (g->m == 0 || g->n == 0) { // the one word behind an empty matrix must be untouched
        uint32_t word = 0;
        memcpy(&word, c, sizeof word);
        v->compared = 1;
        v->ok = word == 0xFFFFFFFFu;
        v->expected = NAN;
        v->got = c[0];
        snprintf(v->hint, sizeof v->hint, "%s", v->ok ? "" : "C is empty: nothing may be written");
        return;
    }
    if (is_full(g->m, g->n, g->k)) {
        for (int64_t j = 0; j < g->n; j++) {
            for (int64_t i = 0; i < g->m; i++)
                look_at(g, i, j, c, want[j * g->m + i], bound[j * g->m + i], v);
        }
    } else {
        int64_t samples = SAMPLES * (g->m + g->n);
        compare_samples(g, want, bound, c, v);
        compare_probes(g, want + samples, bound + samples, c, v);
    }
    if (!v->ok && v->hint[0] == '\0') {
        int64_t at = (int64_t)v->first_wrong;
        explain(g, at % g->m, at / g->m, v->got, v->hint, sizeof v->hint);
    }
}
