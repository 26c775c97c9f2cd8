// The readable answer to lab 13, and its error bound. Must not be linked into anything that a
// submission can read.
//
// Bound of an element. A product of two halves has 22 significant bits, of two bfloat16 16: it is
// exact in float, and only additions err. A tensor core aligns the products of an instruction and
// the sum so far to the largest of them and cuts off what lies below its last bit; a float addition
// rounds. In both an addition errs by at most 2^-23 of the largest addend, which is at most the sum
// of all magnitudes. There are at most k additions, so with g = k 2^-23 / (1 - k 2^-23)
//
//     |error of D[i,j]| <= g * sum over p of |a[i,p] b[j,p]|.
//
// A narrow result is the sum rounded to nearest, with t significant bits: that errs by 2^-t of the
// sum as it was before, or, where a half is subnormal, by 2^-25.
//
// Products that are too large to be computed one by one are compared in SAMPLES rows and columns
// element by element; of all rows i combinations of the columns are compared, (D x)[i] with
// A (B x), for PROBES vectors x of random signs and magnitudes in [1/2, 1). Cut-off errors all
// point to 0, so those of one element may add up: with q^2 = sum over p of (a[i,p] b[j,p])^2 its
// partial sums are below 8 q (Higham and Mary, SIAM J. Sci. Comput. 41, 2019: with probability
// above 1 - 1e-13 for random signs), and k / 8 additions at least are done at a time, so its error
// is below (k / 8 + 1) 2^-23 8 q. The signs of x are independent of these errors, so that their
// combination stays below 8 times the root of the sum of their squares:
//
//     |error of (D x)[i]| <= 64 (k / 8 + 1) 2^-23 sqrt(sum over p of a[i,p]^2 sum over j of
//     b[j,p]^2).
//
// At 4096 and elements in [-1, 1) that is about 5; a missing element of D makes 20, and a missing
// product, 0.3, is found where it is missing in all rows or columns. The errors of narrow results
// add 2^-t of each D[i,j], again in signs that x does not depend on; the root of the sum over j of
// D[i,j]^2 is below 1 + 8 / sqrt(n) times the root above, as the length of a vector of n random
// numbers is, so that they add
//
//     8 2^-t (1 + 8 / sqrt(n)) sqrt(..),
//
// which is about 6 for halves there.
//
// Floats of 8 bits. An instruction adds AT_ONCE products and the sum so far: it aligns them to the
// largest of them and cuts off what lies below the 13th bit of its fraction, and the same of the
// result. With M the largest magnitude among them, and S the sum behind them,
//
//     |error of an instruction| <= 2^-13 ((AT_ONCE + 1) M + |S|).
//
// After TENSOR_GEMM_SCALED of the depth the sum is multiplied by its scales and added in float,
// which errs by 2^-23 of the sum of all magnitudes at most. These bounds are added up; 2 % more
// cover that M and S are those of exact sums. In a large product each of the 33 / 32 k cuts is
// taken for a random number below 2^-13 M, with M below 4 times the root of the sum of squares of
// its TENSOR_GEMM_SCALED products: the root of the sum of squares of all errors of an element is
// below sqrt(132 / 3) 4 2^-13 q, which is 27 2^-13 q, and a combination stays below 8 times that.
#include "reference.h"

#include "compare.h"
#include "random.h"

enum { SAMPLES = 8, PROBES = 3, AT_ONCE = 32 };
static const double full_work = 1 << 27; // multiply-adds that are still done one by one

// ---- elements -----------------------------------------------------------------------------------

// How the bits of a type lie in those of a float: a fraction with `cut` bits less, and an exponent
// that makes a float smaller by the factor `scale`.
typedef struct format {
    int cut;
    float scale;
    uint32_t sign; // its bit
} format;

static format format_of(tensor_gemm_type type) {
    return type == TENSOR_GEMM_HALF   ? (format){13, 0x1p112f, 0x8000}
           : type == TENSOR_GEMM_E4M3 ? (format){20, 0x1p120f, 0x80}
                                      : (format){16, 1.0f, 0x8000};
}

float tensor_gemm_value(tensor_gemm_type type, uint16_t bits) {
    const format f = format_of(type);
    uint32_t sign = (bits & f.sign) != 0, rest = bits & (f.sign - 1);
    if (type == TENSOR_GEMM_HALF && rest >= 0x7c00) // the largest exponent is that of no number
        return rest > 0x7c00 ? NAN : sign ? -INFINITY : INFINITY;
    if (type == TENSOR_GEMM_E4M3 && rest == 0x7f) return NAN;
    uint32_t word = sign << 31 | rest << f.cut;
    float value;
    memcpy(&value, &word, sizeof value);
    return value * f.scale;
}

uint16_t tensor_gemm_bits(tensor_gemm_type type, float x) {
    const format f = format_of(type);
    uint32_t sign = x < 0 ? f.sign : 0, word;
    // Subnormal: a multiple of the smallest number, as a sum near 2^23 of these is.
    float smallest = (float)(1 << f.cut) * 0x1p-149f * f.scale, many = smallest * 0x1p23f;
    if (f.scale > 1.0f && fabsf(x) < f.scale * 0x1p-126f)
        return (uint16_t)(sign | (uint32_t)((fabsf(x) + many - many) / smallest));
    float scaled = x / f.scale;
    memcpy(&word, &scaled, sizeof word);
    uint32_t rest = word & 0x7fffffff;
    rest += (UINT32_C(1) << (f.cut - 1)) - 1 + (rest >> f.cut & 1);
    return (uint16_t)(sign | rest >> f.cut);
}

// Element i of an array of A's and B's type.
static float value_at(const tensor_gemm_check *g, const void *values, int64_t i) {
    if (g->type == TENSOR_GEMM_E4M3)
        return tensor_gemm_value(g->type, ((const uint8_t *)values)[i]);
    return tensor_gemm_value(g->type, ((const uint16_t *)values)[i]);
}

// Where element p of row i of A lies, and of column j of B.
static int64_t index_a(const tensor_gemm_check *g, int64_t i, int64_t p) {
    return g->a_by_columns ? p * g->m + i : i * g->k + p;
}
static int64_t index_b(const tensor_gemm_check *g, int64_t j, int64_t p) {
    return g->b_by_rows ? p * g->n + j : j * g->k + p;
}

// That element, times its scale.
static float value_a(const tensor_gemm_check *g, int64_t i, int64_t p) {
    float scale = g->a_scales ? g->a_scales[p / TENSOR_GEMM_SCALED * g->m + i] : 1.0f;
    return value_at(g, g->a, index_a(g, i, p)) * scale;
}
static float value_b(const tensor_gemm_check *g, int64_t j, int64_t p) {
    int64_t rounds = (g->k + TENSOR_GEMM_SCALED - 1) / TENSOR_GEMM_SCALED;
    int64_t pitch = (rounds + TENSOR_GEMM_PITCH - 1) / TENSOR_GEMM_PITCH * TENSOR_GEMM_PITCH;
    int64_t at = j / TENSOR_GEMM_SCALED * pitch + p / TENSOR_GEMM_SCALED;
    return value_at(g, g->b, index_b(g, j, p)) * (g->b_scales ? g->b_scales[at] : 1.0f);
}

// Row i of A, or column j of B, as floats: [k].
static void row_of_a(const tensor_gemm_check *g, int64_t i, float *to) {
    for (int64_t p = 0; p < g->k; p++) to[p] = value_a(g, i, p);
}
static void column_of_b(const tensor_gemm_check *g, int64_t j, float *to) {
    for (int64_t p = 0; p < g->k; p++) to[p] = value_b(g, j, p);
}

// D's type, where it is narrow.
static tensor_gemm_type type_of_d(const tensor_gemm_check *g) {
    return g->type == TENSOR_GEMM_HALF ? TENSOR_GEMM_HALF : TENSOR_GEMM_BFLOAT16;
}

// Element number `at` of a result.
static double result(const tensor_gemm_check *g, const void *d, int64_t at) {
    if (!g->narrow) return ((const float *)d)[at];
    uint16_t bits = ((const uint16_t *)d)[at];
    uint32_t word = UINT32_MAX; // as an element is that was never written
    float value;
    memcpy(&value, &word, sizeof value);
    return bits == UINT16_MAX ? value : tensor_gemm_value(type_of_d(g), bits);
}

// ---- the answer ---------------------------------------------------------------------------------

static bool is_full(int64_t m, int64_t n, int64_t k) {
    return (double)m * (double)n * (double)k <= full_work;
}

// Row or column number s of SAMPLES of `count`: the first, the last, and others at random.
static int64_t sample(const tensor_gemm_check *g, int stream, int s, int64_t count) {
    if (s < 2) return s == 0 ? 0 : count - 1;
    return (int64_t)kl_random_below(kl_random_fork(g->seed, (uint64_t)stream), (uint64_t)s,
                                    (uint64_t)count);
}

// Of a small product: value and bound of every element, as D lies. Of a large one: of SAMPLES rows,
// then of SAMPLES columns, then (A (B x))[i] and its bound for each row i, probe by probe.
uint64_t tensor_gemm_answer_doubles(int64_t m, int64_t n, int64_t k) {
    if (is_full(m, n, k)) return 2 * (uint64_t)(m * n);
    return 2 * (uint64_t)(SAMPLES * (m + n) + PROBES * m);
}

static double bound_factor(const tensor_gemm_check *g) {
    double error = (double)g->k * 0x1p-23;
    return g->exact ? 0.0 : error / (1.0 - error) + 0x1p-40;
}

// Of the sum of scaled 8-bit floats, as derived above; magnitude: of all products.
static double scaled_bound(const tensor_gemm_check *g, const float *a, const float *b,
                           double magnitude) {
    double bound = (double)(g->k / TENSOR_GEMM_SCALED + 4) * 0x1p-23 * magnitude, sum = 0.0;
    for (int64_t from = 0; from < g->k; from += AT_ONCE) {
        if (from % TENSOR_GEMM_SCALED == 0) sum = 0.0;
        double most = fabs(sum);
        for (int64_t p = from; p < from + AT_ONCE && p < g->k; p++) {
            double product = (double)a[p] * (double)b[p];
            most = fmax(most, fabs(product));
            sum += product;
        }
        bound += ((AT_ONCE + 1) * most + fabs(sum)) * 0x1p-13 * 1.02;
    }
    return bound;
}

// What rounding a sum to D's type may change, as a part of it.
static double rounding(const tensor_gemm_check *g) {
    return !g->narrow ? 0.0 : g->type == TENSOR_GEMM_HALF ? 0x1p-11 : 0x1p-8;
}

// The element of row a: [k] of A and row b: [k] of B.
static void element(const tensor_gemm_check *g, const float *a, const float *b, double *out_want,
                    double *out_bound) {
    double sum = 0.0, magnitude = 0.0;
    for (int64_t p = 0; p < g->k; p++) {
        double product = (double)a[p] * (double)b[p];
        sum += product;
        magnitude += fabs(product);
    }
    *out_want = sum;
    *out_bound = g->a_scales ? scaled_bound(g, a, b, magnitude) : bound_factor(g) * magnitude;
    if (g->narrow) *out_bound += rounding(g) * (fabs(sum) + *out_bound) + 0x1p-25;
}

// x[j] of a probe.
static double weight_of(const tensor_gemm_check *g, int probe, int64_t j) {
    uint64_t bits = kl_random_u64(kl_random_fork(g->seed, 2 + (uint64_t)probe), (uint64_t)j);
    double magnitude = (double)(2048 + (bits >> 1 & 2047)) / 4096.0;
    return bits & 1 ? magnitude : -magnitude;
}

// probe[i] = (A (B x))[i]; bound[i] as derived above. row: [k]; scratch: [2 k].
static void solve_probe(const tensor_gemm_check *g, int number, float *row, double *scratch,
                        double *probe, double *bound) {
    double *bx = scratch, *b2 = scratch + g->k;
    memset(scratch, 0, 2 * (size_t)g->k * sizeof *scratch);
    for (int64_t j = 0; j < g->n; j++) {
        double x = weight_of(g, number, j);
        column_of_b(g, j, row);
        for (int64_t p = 0; p < g->k; p++) {
            bx[p] += x * (double)row[p];
            b2[p] += (double)row[p] * (double)row[p];
        }
    }
    double factor = g->exact ? 0.0 : 64.0 * ((double)g->k / 8.0 + 1.0) * 0x1p-23;
    if (g->a_scales) factor = 8.0 * 27.0 * 0x1p-13;
    factor += 8.0 * rounding(g) * (1.0 + 8.0 / sqrt((double)g->n));
    for (int64_t i = 0; i < g->m; i++) {
        double sum = 0.0, squares = 0.0;
        row_of_a(g, i, row);
        for (int64_t p = 0; p < g->k; p++) {
            double a = row[p];
            sum += a * bx[p];
            squares += a * a * b2[p];
        }
        probe[i] = sum;
        bound[i] = factor * sqrt(squares);
    }
}

// All elements of D in one row; in one column. scratch: [2 k].
static void solve_row(const tensor_gemm_check *g, int64_t i, float *scratch, double *want,
                      double *bound) {
    row_of_a(g, i, scratch);
    for (int64_t j = 0; j < g->n; j++) {
        column_of_b(g, j, scratch + g->k);
        element(g, scratch, scratch + g->k, &want[j], &bound[j]);
    }
}
static void solve_column(const tensor_gemm_check *g, int64_t j, float *scratch, double *want,
                         double *bound) {
    column_of_b(g, j, scratch);
    for (int64_t i = 0; i < g->m; i++) {
        row_of_a(g, i, scratch + g->k);
        element(g, scratch + g->k, scratch, &want[i], &bound[i]);
    }
}

static void solve_large(const tensor_gemm_check *g, float *floats, double *doubles, double *want,
                        double *bound) {
    for (int s = 0; s < SAMPLES; s++, want += g->n, bound += g->n)
        solve_row(g, sample(g, 0, s, g->m), floats, want, bound);
    for (int s = 0; s < SAMPLES; s++, want += g->m, bound += g->m)
        solve_column(g, sample(g, 1, s, g->n), floats, want, bound);
    for (int t = 0; t < PROBES; t++, want += g->m, bound += g->m)
        solve_probe(g, t, floats, doubles, want, bound);
}

// All elements: B is converted once, at floats + k.
static void solve_small(const tensor_gemm_check *g, float *floats, double *want, double *bound) {
    for (int64_t j = 0; j < g->n; j++) column_of_b(g, j, floats + (1 + j) * g->k);
    for (int64_t i = 0; i < g->m; i++) {
        row_of_a(g, i, floats);
        for (int64_t j = 0; j < g->n; j++)
            element(g, floats, floats + (1 + j) * g->k, &want[i * g->n + j], &bound[i * g->n + j]);
    }
}

kl_status tensor_gemm_solve(const tensor_gemm_check *g, double *answer, kl_error *err) {
    bool full = is_full(g->m, g->n, g->k);
    double *want = answer, *bound = answer + tensor_gemm_answer_doubles(g->m, g->n, g->k) / 2;
    float *floats = malloc((size_t)(g->k * (full ? g->n + 1 : 2)) * sizeof *floats + 1);
    double *doubles = malloc(2 * (size_t)g->k * sizeof *doubles + 1);
    kl_status status = KL_OK;
    if (!floats || !doubles)
        status = kl_fail(err, KL_ERROR_MEMORY, "tensor_gemm: no memory for the reference");
    else if (full)
        solve_small(g, floats, want, bound);
    else
        solve_large(g, floats, doubles, want, bound);
    free(floats);
    free(doubles);
    return status;
}

// ---- comparison ---------------------------------------------------------------------------------

// Takes element (i, j) into the verdict.
static void look_at(const tensor_gemm_check *g, int64_t i, int64_t j, const void *d, double want,
                    double bound, kl_verdict *v) {
    uint64_t at = (uint64_t)(i * g->n + j);
    double got = result(g, d, (int64_t)at), distance = kl_distance(got, want);
    v->compared++;
    v->max_error = distance > v->max_error ? distance : v->max_error;
    if (kl_close(got, want, bound) || (!v->ok && at >= v->first_wrong)) return;
    v->ok = false;
    v->first_wrong = at;
    v->expected = want;
    v->got = got;
    v->bound = bound;
}

static double value_of(const tensor_gemm_check *g, int64_t i, int64_t j, int64_t from, int64_t to) {
    double sum = 0.0;
    for (int64_t p = from; p < to; p++) sum += (double)value_a(g, i, p) * (double)value_b(g, j, p);
    return sum;
}

// Takes a row whose combination is off into the verdict, by its worst element.
static void take_row(const tensor_gemm_check *g, int64_t i, double bound, const void *d,
                     kl_verdict *v) {
    double most = -1.0;
    v->ok = false;
    v->bound = bound;
    for (int64_t j = 0; j < g->n; j++) {
        double want = value_of(g, i, j, 0, g->k), got = result(g, d, i * g->n + j);
        double distance = kl_distance(got, want);
        if (distance <= most) continue;
        most = v->max_error = distance;
        v->first_wrong = (uint64_t)(i * g->n + j);
        v->expected = want;
        v->got = got;
    }
}

static void compare_probes(const tensor_gemm_check *g, const double *probes, const double *bounds,
                           const void *d, kl_verdict *v) {
    v->compared += (uint64_t)(g->m * g->n);
    for (int t = 0; t < PROBES && v->ok; t++) {
        for (int64_t i = 0; i < g->m && v->ok; i++) {
            double sum = 0.0;
            for (int64_t j = 0; j < g->n; j++)
                sum += weight_of(g, t, j) * result(g, d, i * g->n + j);
            if (!kl_close(sum, probes[t * g->m + i], bounds[t * g->m + i]))
                take_row(g, i, bounds[t * g->m + i], d, v);
        }
    }
}

static void compare_large(const tensor_gemm_check *g, const double *want, const double *bound,
                          const void *d, kl_verdict *v) {
    for (int s = 0; s < SAMPLES; s++, want += g->n, bound += g->n)
        for (int64_t j = 0; j < g->n; j++)
            look_at(g, sample(g, 0, s, g->m), j, d, want[j], bound[j], v);
    for (int s = 0; s < SAMPLES; s++, want += g->m, bound += g->m)
        for (int64_t i = 0; i < g->m; i++)
            look_at(g, i, sample(g, 1, s, g->n), d, want[i], bound[i], v);
    compare_probes(g, want, bound, d, v);
}

// Whether A or B read in the other order gives this value at element (i, j); then it is said.
static bool is_other_layout(const tensor_gemm_check *g, int64_t i, int64_t j, double got,
                            double near, char *hint, size_t bytes) {
    for (int wrong = 1; wrong < 4; wrong++) {
        tensor_gemm_check other = *g;
        if (wrong & 1) other.a_by_columns = !g->a_by_columns;
        if (wrong & 2) other.b_by_rows = !g->b_by_rows;
        if (fabs(value_of(&other, i, j, 0, g->k) - got) > near) continue;
        snprintf(hint, bytes,
                 "element (%lld, %lld): %s is %s-major here, and has been read in the other order",
                 (long long)i, (long long)j, wrong & 1 ? "A" : "B",
                 (wrong & 1 ? g->a_by_columns : !g->b_by_rows) ? "column" : "row");
        return true;
    }
    return false;
}

// Whether `got` comes from parts of 16 x 16 elements of A, of B or of both that are transposed, as
// fragments are that were declared with the other order.
static bool is_transposed_part(const tensor_gemm_check *g, int64_t i, int64_t j, double got,
                               double near, char *hint, size_t bytes) {
    enum { PART = 16 };
    for (int wrong = 1; wrong < 4; wrong++) {
        double sum = 0.0;
        for (int64_t p = 0; p < g->k / PART * PART; p++) {
            int64_t first = p / PART * PART, in_part = p % PART;
            int64_t a = wrong & 1 ? index_a(g, i / PART * PART + in_part, first + i % PART)
                                  : index_a(g, i, p);
            int64_t b = wrong & 2 ? index_b(g, j / PART * PART + in_part, first + j % PART)
                                  : index_b(g, j, p);
            sum += (double)value_at(g, g->a, a) * (double)value_at(g, g->b, b);
        }
        if (fabs(sum - got) > near) continue;
        snprintf(hint, bytes, "element (%lld, %lld): as if fragments of %s had been transposed",
                 (long long)i, (long long)j,
                 wrong == 1   ? "A"
                 : wrong == 2 ? "B"
                              : "A and B");
        return true;
    }
    return false;
}

// How far a value may be from one that explains it.
static double near_to(const tensor_gemm_check *g, double got) {
    return 1e-4 * (1.0 + fabs(got)) + rounding(g) * fabs(got);
}

// Whether element (i, j) and its neighbours are sums of the products from `first` to `end` alone:
// one value of few digits may be so by chance.
static bool has_only(const tensor_gemm_check *g, int64_t i, int64_t j, int64_t first, int64_t end,
                     const void *d) {
    enum { NEIGHBOURS = 4 };
    for (int64_t w = 0; w < NEIGHBOURS; w++) {
        int64_t row = (i ^ (w & 1)) < g->m ? i ^ (w & 1) : i;
        int64_t column = (j ^ (w >> 1)) < g->n ? j ^ (w >> 1) : j;
        double got = result(g, d, row * g->n + column);
        if (!(fabs(value_of(g, row, column, first, end) - got) <= near_to(g, got))) return false;
    }
    return true;
}

// Says in a few words what kind of mistake gives this value at element (i, j).
static void explain(const tensor_gemm_check *g, int64_t i, int64_t j, double got, const void *d,
                    char *hint, size_t bytes) {
    double near = near_to(g, got);
    static const int64_t depths[] = {8, 16, 32, 64, 96, 128};
    snprintf(hint, bytes, "this is row %lld, column %lld of D", (long long)i, (long long)j);
    if (isnan(got)) return;
    if (g->k == 0) {
        snprintf(hint, bytes, "k is 0: every element is an empty sum, and 0 must be written");
        return;
    }
    if (g->narrow && fabs(value_of(g, i, j, 0, g->k) - got) <= 3.0 * near) {
        snprintf(hint, bytes, "element (%lld, %lld) is not the nearest number of its type",
                 (long long)i, (long long)j);
        return;
    }
    for (size_t w = 0; w < sizeof depths / sizeof depths[0]; w++) {
        int64_t depth = depths[w];
        if (depth > g->k) break;
        if (has_only(g, i, j, 0, g->k - depth, d)) {
            snprintf(hint, bytes, "the last %lld products are missing", (long long)depth);
            return;
        }
        if (has_only(g, i, j, depth, g->k, d)) {
            snprintf(hint, bytes, "the first %lld products are missing", (long long)depth);
            return;
        }
    }
    if (is_other_layout(g, i, j, got, near, hint, bytes)) return;
    if (!g->a_scales && i / 16 * 16 + 16 <= g->m && j / 16 * 16 + 16 <= g->n &&
        is_transposed_part(g, i, j, got, near, hint, bytes))
        return;
    if (g->narrow) return; // others may be as near by chance
    for (int64_t near_i = i / 16 * 16; near_i < i / 16 * 16 + 16; near_i++) {
        for (int64_t near_j = j / 16 * 16; near_j < j / 16 * 16 + 16; near_j++) {
            if (fabs(value_of(g, near_i, near_j, 0, g->k) - got) > near) continue;
            snprintf(hint, bytes, "element (%lld, %lld) has the value of element (%lld, %lld)",
                     (long long)i, (long long)j, (long long)near_i, (long long)near_j);
            return;
        }
    }
}

void tensor_gemm_compare(const tensor_gemm_check *g, const double *answer, const void *d,
                         kl_verdict *out_verdict) {
    kl_verdict *v = out_verdict;
    *v = (kl_verdict){.ok = true};
    const double *want = answer, *bound = answer + tensor_gemm_answer_doubles(g->m, g->n, g->k) / 2;
    if (g->m == 0 || g->n == 0) { // the one element behind an empty matrix must be untouched
        size_t bytes = g->narrow ? sizeof(uint16_t) : sizeof(uint32_t);
        v->compared = 1;
        v->ok = memcmp(d, "\xFF\xFF\xFF\xFF", bytes) == 0;
        v->expected = NAN;
        v->got = result(g, d, 0);
        snprintf(v->hint, sizeof v->hint, "%s", v->ok ? "" : "D is empty: nothing may be written");
        return;
    }
    if (is_full(g->m, g->n, g->k)) {
        for (int64_t i = 0; i < g->m; i++)
            for (int64_t j = 0; j < g->n; j++)
                look_at(g, i, j, d, want[i * g->n + j], bound[i * g->n + j], v);
    } else {
        compare_large(g, want, bound, d, v);
    }
    if (v->ok) return;
    int64_t at = (int64_t)v->first_wrong;
    explain(g, at / g->n, at % g->n, v->got, d, v->hint, sizeof v->hint);
}
