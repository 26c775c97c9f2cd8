// The readable answer to lab 11, and the error bound with its derivation. Must not be linked into
// anything that a submission can read.
//
// Integers: sums modulo 2^32, exact in any order.
//
// Floats. Let u = 2^-24 be the unit roundoff. One addition gives fl(a + b) = (a + b)(1 + d) with
// |d| <= u. Where x[j] passes through k_j additions on its way into y[i], it is multiplied by as
// many such factors. With k = max k_j,
//
//     |computed - exact| <= gamma_k * (|x[0]| + .. + |x[i]|),    gamma_k = k u / (1 - k u)
//
// (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., lemma 3.1, section 4.2).
// The contract allows k = scan_longest_chain(n) = n/1024 + 64. Of the steps:
//
//     step 0       adds in double precision and rounds once:             1
//     step 1       10 in a tile of 1024, 1 for what lies before it, one
//                  a tile on the way there:                              <= n/1024 + 12
//     steps 2, 3   10 up and 10 down the tree instead:                   <= n/1024 + 22
//     step 4       5 in the warp, 5 over the warps:                      <= n/1024 + 13
//     step 5       15 in a thread, 5, 8 over the warps; tiles of 4096:   <= n/4096 + 31
//     step 6       the sums of the tiles are scanned as in step 5:       <= n/2^24 + 62
//     steps 7-9    what lies before a tile, at most one for each tile:   <= n/4096 + 31
//     step 10      tiles of at least 1024:                               <= n/1024 + 31
//
// An addition to 0 is exact and not counted. The order of steps 8 to 10 depends on time, so that
// two calls may differ, but each order keeps to the bound. The reference itself is compensated
// (Neumaier, ZAMM 54, 1974): its error is about 2^-53 of the sum of |x|, and is added to the bound.
//
// Exact cases: problem.c makes integers whose sums stay below 2^24, so that no order rounds.
#include "reference.h"

#include "compare.h"

// Takes x[i] in.
static void scan_take(const scan_answer *answer, const void *x, int64_t i, scan_sums *sums) {
    if (answer->type == SCAN_INT) {
        sums->of_ints += ((const uint32_t *)x)[i];
        return;
    }
    double sum = sums->of_floats, term = ((const float *)x)[i], next = sum + term;
    sums->lost += fabs(sum) >= fabs(term) ? (sum - next) + term : (term - next) + sum;
    sums->of_floats = next;
    sums->of_sizes += fabs(term);
}

double scan_value(const scan_answer *answer, const scan_sums *sums) {
    if (answer->type == SCAN_INT) return (double)(int32_t)sums->of_ints;
    // From an infinity on `lost` is NaN and says nothing.
    return isfinite(sums->of_floats) ? sums->of_floats + sums->lost : sums->of_floats;
}

double scan_bound(const scan_answer *answer, const scan_sums *sums) {
    if (answer->type == SCAN_INT || answer->exact || !isfinite(sums->of_floats)) return 0.0;
    double ku = (double)scan_longest_chain(answer->n) * 0x1p-24;
    return (ku / (1.0 - ku) + 0x1p-52) * sums->of_sizes;
}

static double element(const scan_answer *answer, const void *y, int64_t i) {
    if (answer->type == SCAN_INT) return ((const int32_t *)y)[i];
    return ((const float *)y)[i];
}

static bool is_right(double got, double want, double bound) {
    if (isnan(want)) return isnan(got) && !kl_is_never_written(got);
    return kl_close(got, want, bound);
}

// Whether all sums of integers are right: the usual case, without a look at each error.
static bool ints_are_right(const scan_answer *answer, const uint32_t *x, const uint32_t *y) {
    uint32_t sum = 0, differ = 0;
    for (int64_t i = 0; i < answer->n; i++) {
        uint32_t next = sum + x[i];
        differ |= y[i] ^ (answer->kind == SCAN_INCLUSIVE ? next : sum);
        sum = next;
    }
    return differ == 0;
}

kl_comparison scan_compare(const scan_answer *answer, const void *x, const void *y) {
    kl_comparison found = {.ok = true, .compared = (uint64_t)answer->n};
    if (answer->type == SCAN_INT && ints_are_right(answer, x, y)) {
        found.expected = found.got = answer->n > 0 ? element(answer, y, 0) : 0.0;
        return found;
    }
    scan_sums sums = {0};
    for (int64_t i = 0; i < answer->n; i++) {
        if (answer->kind == SCAN_INCLUSIVE) scan_take(answer, x, i, &sums);
        double want = scan_value(answer, &sums), bound = scan_bound(answer, &sums);
        double got = element(answer, y, i);
        if (answer->kind == SCAN_EXCLUSIVE) scan_take(answer, x, i, &sums);
        bool right = is_right(got, want, bound);
        double error = right && isnan(want) ? 0.0 : kl_distance(got, want);
        if (!right && found.wrong++ == 0) found.first_wrong = (uint64_t)i;
        bool shown = right ? found.ok && error > found.max_error : found.wrong == 1;
        if (shown || i == 0) {
            found.expected = want;
            found.got = got;
            found.bound = bound;
        }
        if (error > found.max_error) found.max_error = error;
        found.ok = found.ok && right;
    }
    return found;
}

// The sum of x[from .. to-1].
static double sum_of(const scan_answer *answer, const void *x, int64_t from, int64_t to) {
    scan_sums sums = {0};
    for (int64_t i = from; i < to; i++) scan_take(answer, x, i, &sums);
    return scan_value(answer, &sums);
}

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-6 * (1.0 + fabs(a));
}

// What a wrong sum at the first element of a tile, of a block or a warp, looks like.
static bool explain_tile(const scan_answer *answer, const void *x, int64_t at, double got,
                         char *hint, size_t bytes) {
    const int64_t least = 32;
    if (at == 0 || at % least != 0) return false;
    bool inclusive = answer->kind == SCAN_INCLUSIVE;
    long long here = at, before = at - 1;
    if (!near(got, sum_of(answer, x, at, at + inclusive)))
        snprintf(hint, bytes, "right up to y[%lld]; y[%lld], where a tile or warp begins, is wrong",
                 before, here);
    else if (inclusive)
        snprintf(hint, bytes,
                 "the sums start anew at y[%lld]: y[%lld], the sum of all before it, is not added",
                 here, before);
    else
        snprintf(hint, bytes,
                 "the sums start anew at y[%lld]: the sum of x[0] to x[%lld] is not added", here,
                 before);
    return true;
}

// A text, or `hint`, into which it has written one.
static const char *explain(const scan_answer *answer, const void *x, int64_t at, double want,
                           double got, char *hint, size_t bytes) {
    if (answer->type == SCAN_FLOAT && isnan(got) && !isnan(want))
        return isinf(want) ? "NaN where an infinity goes on" : "";
    bool inclusive = answer->kind == SCAN_INCLUSIVE;
    double own = element(answer, x, at), other = inclusive ? want - own : want + own;
    if (answer->type == SCAN_INT) other = (double)(int32_t)(uint32_t)(int64_t)other;
    if (got != want && near(got, other))
        return inclusive ? "the exclusive sum, x[i] missing: this case asks for the inclusive one"
                         : "the inclusive sum, with x[i]: this case asks for the exclusive one";
    if (explain_tile(answer, x, at, got, hint, bytes)) return hint;
    if (at == 0) return inclusive ? "y[0] is x[0] alone" : "y[0] is 0: nothing lies before it";
    if (inclusive && near(got, own)) return "x[i] alone: nothing that lies before it is added";
    if (at == answer->n - 1 && at >= 8) // of few elements the last is easily the first wrong one
        return "exactly the last element is wrong";
    return "";
}

void scan_explain(const scan_answer *answer, const void *x, int64_t at, double want, double got,
                  char *hint, size_t hint_bytes) {
    const char *text = explain(answer, x, at, want, got, hint, hint_bytes);
    if (text != hint) snprintf(hint, hint_bytes, "%s", text);
}
