// The readable answer to lab 14, in double, and its error bound. Must not be linked into anything
// that a submission can read.
//
// Bound of an element of O. Let u = 2^-24 (float) and h = 2^-11 (half) be unit roundoffs, x[j] the
// scores of a row, m the largest, d = x[j] - m <= 0, w[j] = exp(d), l their sum, n the keys that
// the row sees. A step has instead
//
//   x[j]      products of halves are exact in float; each of the additions errs by at most 2^-23 of
//             the magnitudes (tensor cores cut off, floats round: lab 13). With
//             a[j] = sum of |q k| / sqrt(width) and g = width 2^-23 / (1 - width 2^-23): g a[j].
//             The scale, its rounding and that of the product: 4 u a[j].
//   exp       the difference to the maximum so far and its changes add up to |d|: 4 u |d| with the
//             constant log2 e. ex2 errs by 2 ulp, and each change of the maximum multiplies by
//             another exponential: 7 u for each of c = keys / 16 + 8 changes, and 8 u
//   half      rounding the exponential: h, or 2^-24 in all below the smallest normal half
//
// so w[j] has the relative error e[j] = exp(g a[j] + 4 u (a[j] + |d|) + 8 u + 7 u c) - 1 + h and
// the absolute one 2^-24. The sum of w v has n additions, 2^-23 each; l has n, u each (of rounded
// or unrounded exponentials). The division: 5 u; the result as a half: h, or 2^-25 in all:
//
//   |error of O| <= sum (w e + 2^-24 + n 2^-23 w) |v| / l
//                   + |O| (sum (w e + 2^-24) / l + n u + 5 u + h) + 2^-25,
//
// and a hundredth more for products of errors. With scores around 1, 4,096 keys and |v| < 1 that is
// about 6e-4, of which rounding to half is 3e-4 and the additions 2.4e-4: a missing key moves O by
// 2.4e-4. So cases that look for missing keys have few of them.
#include "reference.h"

#include "compare.h"
#include "parallel.h"
#include "random.h"

static const double half_unit = 0x1p-11, float_unit = 0x1p-24, cut_unit = 0x1p-23;
// Products of elements that the reference computes at most: 2^27 at a time is a second.
static const double full_work = 1 << 27;

// ---- halves -------------------------------------------------------------------------------------

// A half is a float whose exponent is 112 less and whose fraction has 13 bits less. Without a
// branch, so that rows are converted several elements at a time: every row of K is, for each query.
static inline float half_value(uint16_t bits) {
    const bool special = (bits & 0x7c00) == 0x7c00; // infinite, or no number
    uint32_t word = (uint32_t)(bits & 0x8000) << 16 | (uint32_t)(bits & 0x7fff) << 13;
    word |= special ? UINT32_C(0x7f800000) : 0;
    float value;
    memcpy(&value, &word, sizeof value);
    return value * (special ? 1.0f : 0x1p112f);
}
float attention_value(uint16_t bits) {
    return half_value(bits);
}

uint16_t attention_bits(float x) {
    if (fabsf(x) < 0x1p-14f) // a multiple of 2^-24, as a sum near 1/2 is
        return (uint16_t)((signbit(x) ? 0x8000 : 0) | (int)((fabsf(x) + 0.5f - 0.5f) * 0x1p24f));
    float scaled = x * 0x1p-112f;
    uint32_t word;
    memcpy(&word, &scaled, sizeof word);
    uint32_t sign = word >> 16 & 0x8000, rest = word & 0x7fffffff;
    rest += (UINT32_C(1) << 12) - 1 + (rest >> 13 & 1);
    return (uint16_t)(sign | rest >> 13);
}

// ---- rows ---------------------------------------------------------------------------------------

int64_t attention_seen(const attention_check *a, int64_t query) {
    if (!a->causal) return a->keys;
    int64_t seen = query + a->keys - a->queries + 1;
    return seen < 0 ? 0 : seen < a->keys ? seen : a->keys;
}

static double row_work(const attention_check *a) {
    return (double)a->keys * a->width + a->width;
}

// Rows that are compared, of [heads][queries]: all of a small case, else some of all heads.
static int64_t attention_compared_rows(const attention_check *a) {
    int64_t rows = a->heads * a->queries;
    int64_t some = (int64_t)(full_work / row_work(a));
    some = some < 16 ? 16 : some;
    return some < rows ? some : rows;
}

// One row of each of so many stretches; the last row of all is one of them.
static int64_t attention_compared_row(const attention_check *a, int64_t i) {
    int64_t rows = a->heads * a->queries, count = attention_compared_rows(a);
    int64_t from = rows * i / count, to = rows * (i + 1) / count;
    if (i == count - 1) return rows - 1;
    return from + (int64_t)kl_random_below(14, (uint64_t)i, (uint64_t)(to - from));
}

static void convert(const uint16_t *from, int64_t count, float *to) {
    for (int64_t i = 0; i < count; i++) to[i] = half_value(from[i]);
}

// Scores of `seen` keys, and when `magnitudes` is not NULL the sums of the products' magnitudes,
// both times scale. Returns the largest score, or -INFINITY.
static double scores(const attention_check *a, int64_t head, int64_t query, int64_t seen,
                     double scale, double *x, double *magnitudes) {
    float q[128] = {0}, k[128] = {0};
    double most = -INFINITY;
    convert(a->q + (head * a->queries + query) * a->width, a->width, q);
    for (int64_t j = 0; j < seen; j++) {
        convert(a->k + (head * a->keys + j) * a->width, a->width, k);
        double sum = 0.0, magnitude = 0.0;
        for (int c = 0; c < a->width; c++) {
            double product = (double)q[c] * (double)k[c];
            sum += product;
            magnitude += fabs(product);
        }
        x[j] = sum * scale;
        if (magnitudes) magnitudes[j] = magnitude * scale;
        most = x[j] > most ? x[j] : most;
    }
    return most;
}

void attention_weights(const attention_check *a, int64_t head, int64_t query, int64_t seen,
                       double scale, double *weights, double *out_most, double *out_sum) {
    double most = scores(a, head, query, seen, scale, weights, NULL), sum = 0.0;
    for (int64_t j = 0; j < seen; j++) sum += weights[j] = exp(weights[j] - most);
    *out_most = most;
    *out_sum = sum;
}

// ---- the answer ---------------------------------------------------------------------------------

// The relative error of exp(x - most), but for what is rounded to half.
static double exponent_error(const attention_check *a, double x, double magnitude, double most) {
    double additions = a->width * cut_unit, changes = (double)a->keys / 16.0 + 8.0;
    return expm1(additions / (1.0 - additions) * magnitude +
                 float_unit * (4.0 * (magnitude + fabs(x - most)) + 8.0 + 7.0 * changes));
}

// want, bound: [width]. x, magnitudes: [keys], scratch.
static void solve_row(const attention_check *a, int64_t row, double *x, double *magnitudes,
                      double *want, double *bound) {
    int64_t head = row / a->queries, query = row % a->queries, seen = attention_seen(a, query);
    memset(want, 0, (size_t)a->width * sizeof *want);
    memset(bound, 0, (size_t)a->width * sizeof *bound);
    if (seen == 0) return; // zeros, exactly
    double most = scores(a, head, query, seen, 1.0 / sqrt(a->width), x, magnitudes);
    double sum = 0.0, sum_error = 0.0;
    for (int64_t j = 0; j < seen; j++) {
        float v[128] = {0};
        convert(a->v + (head * a->keys + j) * a->width, a->width, v);
        double weight = exp(x[j] - most);
        double error =
            weight * (exponent_error(a, x[j], magnitudes[j], most) + half_unit) + 0x1p-24;
        double all_errors = error + (double)seen * cut_unit * weight;
        sum += weight;
        sum_error += error;
        for (int c = 0; c < a->width; c++) {
            want[c] += weight * (double)v[c];
            bound[c] += all_errors * fabs((double)v[c]);
        }
    }
    double relative = sum_error / sum + (double)(seen + 5) * float_unit + half_unit;
    for (int c = 0; c < a->width; c++) {
        want[c] /= sum;
        bound[c] = 1.01 * (bound[c] / sum + fabs(want[c]) * relative + 0x1p-25);
    }
}

// Rows of the answer that a piece of the work computes.
typedef struct solving {
    const attention_check *check;
    double *scratch; // [pieces][2 keys]
    double *want, *bound;
    int pieces;
} solving;

static void solve_piece(void *context, int piece) {
    const solving *s = context;
    const attention_check *a = s->check;
    int64_t rows = attention_compared_rows(a);
    double *scratch = s->scratch + piece * 2 * a->keys;
    for (int64_t i = rows * piece / s->pieces; i < rows * (piece + 1) / s->pieces; i++)
        solve_row(a, attention_compared_row(a, i), scratch, scratch + a->keys,
                  s->want + i * a->width, s->bound + i * a->width);
}

// Value and bound of every element of the rows that are compared.
uint64_t attention_answer_doubles(const attention_check *a) {
    return 2 * (uint64_t)(attention_compared_rows(a) * a->width);
}

kl_status attention_solve(const attention_check *a, double *answer, kl_error *err) {
    solving s = {.check = a,
                 .want = answer,
                 .bound = answer + attention_answer_doubles(a) / 2,
                 .pieces = kl_parallel_threads()};
    s.scratch = malloc((size_t)(s.pieces * 2 * a->keys) * sizeof *s.scratch + 1);
    if (!s.scratch) return kl_fail(err, KL_ERROR_MEMORY, "attention: no memory for the reference");
    kl_parallel(s.pieces, solve_piece, &s);
    free(s.scratch);
    return KL_OK;
}

// ---- comparison ---------------------------------------------------------------------------------

// As a float; of a half that nobody wrote the float that nobody wrote.
static double value_of(uint16_t bits) {
    const uint32_t poison = 0xFFFFFFFF;
    float value = attention_value(bits);
    if (bits == (uint16_t)poison) memcpy(&value, &poison, sizeof value);
    return (double)value;
}

static void look_at(int64_t index, double got, double want, double bound, kl_verdict *v) {
    double distance = kl_distance(got, want);
    bool close = kl_close(got, want, bound);
    v->compared++;
    if (distance > v->max_error) v->max_error = distance;
    if (close || !v->ok) return;
    v->ok = false;
    v->first_wrong = (uint64_t)index;
    v->expected = want;
    v->got = got;
    v->bound = bound;
}

// Rows that are not compared: each element is a mean of values, so no larger than the largest.
static void look_at_others(const attention_check *a, const uint16_t *o, kl_verdict *v) {
    double most = 0.0;
    for (int64_t i = 0; i < a->heads * a->keys * a->width; i++)
        most = fmax(most, fabs((double)attention_value(a->v[i])));
    int64_t elems = a->heads * a->queries * a->width;
    for (int64_t i = 0; i < elems && v->ok; i++)
        if (!(fabs((double)attention_value(o[i])) <= 1.01 * most))
            look_at(i, value_of(o[i]), 0.0, 1.01 * most, v);
}

void attention_compare(const attention_check *a, const double *answer, const uint16_t *o,
                       kl_verdict *out_verdict) {
    kl_verdict *v = out_verdict;
    *v = (kl_verdict){.ok = true};
    if (a->heads == 0 || a->queries == 0) { // the word behind an empty matrix must be untouched
        v->compared = 1;
        v->ok = o[0] == 0xFFFF && o[1] == 0xFFFF;
        v->expected = NAN;
        v->got = value_of(o[0]);
        snprintf(v->hint, sizeof v->hint, "%s", v->ok ? "" : "O is empty: nothing may be written");
        return;
    }
    int64_t rows = attention_compared_rows(a);
    const double *bound = answer + attention_answer_doubles(a) / 2;
    for (int64_t i = 0; i < rows; i++) {
        int64_t first = attention_compared_row(a, i) * a->width;
        for (int c = 0; c < a->width; c++)
            look_at(first + c, value_of(o[first + c]), answer[i * a->width + c],
                    bound[i * a->width + c], v);
    }
    if (v->ok && rows < a->heads * a->queries) look_at_others(a, o, v);
    if (!v->ok) attention_explain(a, o, v);
}
