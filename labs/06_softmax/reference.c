// The readable answer to lab 06, in double precision, and the error bound with its derivation.
// Must not be linked into anything that a submission can read.
//
// Error bound. Let u = 2^-24 be the unit roundoff of float, m the largest element of the row (found
// exactly), d = x - m <= 0, y = exp(d) / S, S = sum of exp(d) over the row. A step computes
//
//   d:          one subtraction, relative error u
//   exp(d):     as 2^(d log2 e): the constant and the product, u each, so the exponent is off by
//               3 u |d| (in units of e); the hardware's ex2.approx is off by at most 2 ulp (CUDA
//               C++ Programming Guide, table of intrinsic functions): together
//               e(d) = 3 u |d| + 4 u
//   partial m:  steps 7 to 10 subtract a smaller m' first and multiply by exp(m' - m) later:
//               the exponents' errors add up, |x - m'| + |m' - m| = |d| at every change, but
//               each change costs an ex2 (4 u) and a product (u). A lane of step 7 has at most
//               columns / 128 + 1 changes; lanes, blocks: 2 more. 5 u (columns / 128 + 3) is less
//               than u (columns + 15).
//   S:          at most `columns` additions (the contract's longest chain), u each, and
//               sum(exp(d) e(d)) / S of its terms
//   y:          reciprocal and product, 2 ulp and u: 5 u
//
// So y is off by at most y (e(d) + error_S + 5 u + u (columns + 15)) to first order; the second
// order is below that times 2^-4 for every size at which elements are compared. Results below
// 2^-126 may be flushed: 2^-125 is added.
#include "reference.h"

#include "compare.h"
#include "parallel.h"
#include "random.h"

static const double unit = 0x1p-24;

enum {
    ALL_BELOW = 1 << 22,      // elements up to which every row is compared
    COMPARED_ELEMS = 1 << 21, // about so many in larger cases
};

int64_t softmax_compared_rows(int64_t rows, int64_t columns) {
    if (rows * columns <= ALL_BELOW) return rows;
    int64_t some = COMPARED_ELEMS / columns;
    some = some < 4 ? 4 : some;
    return some < rows ? some : rows;
}

// One row of each of `count` stretches of rows, and of the last stretch the last row.
static int64_t softmax_compared_row(int64_t rows, int64_t columns, int64_t i) {
    int64_t count = softmax_compared_rows(rows, columns);
    int64_t from = rows * i / count, to = rows * (i + 1) / count;
    if (i == count - 1) return rows - 1;
    return from + (int64_t)kl_random_below(7, (uint64_t)i, (uint64_t)(to - from));
}

static double exp_error(double d) {
    return (3 * fabs(d) + 4) * unit;
}

static softmax_row_answer row_answer(const float *x, int64_t columns) {
    double most = -INFINITY, sum = 0.0, error = 0.0;
    for (int64_t j = 0; j < columns; j++) most = x[j] > most ? (double)x[j] : most;
    for (int64_t j = 0; j < columns; j++) {
        double d = x[j] - most; // of equal infinities: NaN, and so is the sum
        double term = exp(d);
        sum += term;
        if (term > 0) error += term * exp_error(d);
    }
    return (softmax_row_answer){
        .most = most, .sum = sum, .error = error / sum + unit * (double)columns};
}

void softmax_reference(const float *x, int64_t rows, int64_t columns,
                       softmax_row_answer *out_answers) {
    int64_t count = softmax_compared_rows(rows, columns);
    for (int64_t i = 0; i < count; i++)
        out_answers[i] = row_answer(x + softmax_compared_row(rows, columns, i) * columns, columns);
}

// Says in a few words what kind of mistake gives `got` at element j of row r, or "" when nothing
// fits.
static void explain(const float *x, int64_t rows, int64_t columns, int64_t r, int64_t j,
                    const softmax_row_answer *answer, double want, double got, char *hint,
                    size_t hint_bytes) {
    const char *text = "";
    const float *row = x + r * columns;
    if (isnan(want)) {
        text = "this row must be NaN, as exp(x - largest) is where the largest element is infinite "
               "or NaN";
    } else if (isnan(got)) {
        if (answer->most > 89) text = "exp of the row's largest element is more than a float holds";
    } else if (fabs(got * answer->sum - want * answer->sum * answer->sum) < 1e-5 * fabs(got)) {
        text = "exp(x - largest) is right, but it is not divided by the row's sum";
    } else if (columns > 1 && j > 0 && got > 0 &&
               fabs(log(got / want) - (double)(row[j - 1] - row[j])) < 1e-4) {
        text = "this is the result of the column before";
    } else if (r == rows - 1 && rows > 1) {
        text = "the last row";
    } else if (columns >= 4 && j >= columns / 4 * 4) { // those before it are right
        text = "a column after the last full vector of 4";
    }
    snprintf(hint, hint_bytes, "%s", text);
}

// The kit fills outputs with this byte before every call, which makes a NaN that no GPU computes.
static bool never_written(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == UINT32_C(0x01010101) * KL_POISON;
}

static bool compare_row(const float *x, int64_t rows, int64_t columns, int64_t r,
                        const softmax_row_answer *answer, const float *got,
                        kl_verdict *out_verdict) {
    for (int64_t j = 0; j < columns; j++) {
        float value = got[r * columns + j];
        double d = x[r * columns + j] - answer->most, want = exp(d) / answer->sum;
        double bound = 0x1p-125;
        if (want > 0)
            bound += want * (exp_error(d) + answer->error + unit * (double)(columns + 20)) *
                     (1 + 0x1p-4);
        bool ok =
            isnan(want) ? isnan(value) && !never_written(value) : kl_close(value, want, bound);
        double error = isnan(want) ? 0.0 : kl_distance(value, want);
        out_verdict->compared++;
        if (!ok && out_verdict->ok) {
            *out_verdict = (kl_verdict){.ok = false,
                                        .compared = out_verdict->compared,
                                        .max_error = out_verdict->max_error,
                                        .bound = bound,
                                        .first_wrong = (uint64_t)(r * columns + j),
                                        .expected = want,
                                        .got = value};
            explain(x, rows, columns, r, j, answer, want, value, out_verdict->hint,
                    sizeof out_verdict->hint);
        }
        if (error > out_verdict->max_error || !ok)
            out_verdict->max_error = fmax(error, out_verdict->max_error);
        if (!ok) return false;
    }
    return true;
}

// A row that is not compared element by element: finite inputs give results that add up to 1.
static bool adds_up(const float *got, int64_t columns, double *out_sum) {
    double part[4] = {0.0, 0.0, 0.0, 0.0}; // four chains of additions: the matrix may be large
    int64_t j = 0;
    for (; j + 4 <= columns; j += 4)
        for (int k = 0; k < 4; k++) part[k] += got[j + k];
    for (; j < columns; j++) part[0] += got[j];
    double sum = (part[0] + part[1]) + (part[2] + part[3]);
    *out_sum = sum;
    return fabs(sum - 1.0) <= unit * (4.0 * (double)columns + 1000.0);
}

// Rows first .. end - 1 of a comparison, up to the first wrong one.
typedef struct row_range {
    const float *x, *got; // [rows][columns], of all rows
    int64_t rows, columns, first, end;
    const softmax_row_answer *answers; // of all compared rows
    kl_verdict verdict;
} row_range;

static void compare_range(void *context, int index) {
    row_range *s = (row_range *)context + index;
    int64_t count = softmax_compared_rows(s->rows, s->columns), next = 0;
    kl_verdict *verdict = &s->verdict;
    while (next < count && softmax_compared_row(s->rows, s->columns, next) < s->first) next++;
    for (int64_t r = s->first; r < s->end && verdict->ok; r++) {
        if (next < count && softmax_compared_row(s->rows, s->columns, next) == r) {
            compare_row(s->x, s->rows, s->columns, r, &s->answers[next++], s->got, verdict);
            continue;
        }
        double sum;
        if (!adds_up(s->got + r * s->columns, s->columns, &sum)) {
            *verdict = (kl_verdict){.ok = false,
                                    .compared = verdict->compared,
                                    .max_error = INFINITY,
                                    .first_wrong = (uint64_t)(r * s->columns),
                                    .expected = 1.0,
                                    .got = sum};
            snprintf(verdict->hint, sizeof verdict->hint,
                     "expected and got: the sum of this row's results");
        }
        verdict->compared += (uint64_t)s->columns;
    }
}

// Ranges of rows of a large matrix at the same time; what they found is put together in order.
void softmax_compare(const float *x, int64_t rows, int64_t columns,
                     const softmax_row_answer *answers, const float *got, kl_verdict *out_verdict) {
    row_range all[KL_PARALLEL_MOST];
    int most = rows * columns <= ALL_BELOW ? 1 : kl_parallel_threads();
    int parts = rows < most ? (int)rows : most;
    for (int i = 0; i < parts; i++) {
        all[i] = (row_range){
            x, got, rows, columns, rows * i / parts, rows * (i + 1) / parts, answers, {.ok = true}};
    }
    kl_parallel(parts, compare_range, all);
    *out_verdict = (kl_verdict){.ok = true};
    for (int i = 0; i < parts && out_verdict->ok; i++) {
        const kl_verdict before = *out_verdict;
        *out_verdict = all[i].verdict;
        out_verdict->compared += before.compared;
        out_verdict->max_error = fmax(before.max_error, out_verdict->max_error);
    }
    out_verdict->ok = out_verdict->ok && out_verdict->compared > 0;
}
