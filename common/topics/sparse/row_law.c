// Numbers of given moments: see sparse_internal.h. The two exponents of the law are found by
// bisection: for each b there is one a that gives the mean (an exponential family's mean rises with
// its parameter), and along these pairs the deviation falls as b grows.
#include "sparse_internal.h"

enum { FINE_TOP = 1 << 13, SEARCH_STEPS = 100, SETTLE_SWEEPS = 64 };

typedef struct law {
    int64_t top;
    double *log_x, *log_rest; // [top + 1]: of x and of 1 - x
    double *weight;           // [top + 1]: p(k), not normalised
    double total, mean, variance;
} law;

static kl_status law_begin(int64_t top, double offset, law *l, kl_error *err) {
    *l = (law){.top = top};
    double width = (double)top + offset + 0.5;
    uint64_t places = (uint64_t)top + 1;
    kl_status status = kl_sparse_alloc(places, sizeof *l->log_x, false, &l->log_x, err);
    if (status == KL_OK)
        status = kl_sparse_alloc(places, sizeof *l->log_rest, false, &l->log_rest, err);
    if (status == KL_OK)
        status = kl_sparse_alloc(places, sizeof *l->weight, false, &l->weight, err);
    for (int64_t k = 0; k <= top && status == KL_OK; k++) {
        l->log_x[k] = log(((double)k + offset) / width);
        l->log_rest[k] = log(((double)(top - k) + 0.5) / width);
    }
    return status;
}

static void law_end(law *l) {
    free(l->log_x);
    free(l->log_rest);
    free(l->weight);
}

static void law_set(law *l, double a, double b) {
    double largest = -INFINITY, sum = 0, squares = 0;
    for (int64_t k = 0; k <= l->top; k++) {
        l->weight[k] = a * l->log_x[k] + b * l->log_rest[k];
        largest = l->weight[k] > largest ? l->weight[k] : largest;
    }
    l->total = 0;
    for (int64_t k = 0; k <= l->top; k++) {
        double w = exp(l->weight[k] - largest);
        l->weight[k] = w;
        l->total += w;
        sum += w * (double)k;
    }
    l->mean = sum / l->total;
    for (int64_t k = 0; k <= l->top; k++)
        squares += l->weight[k] * ((double)k - l->mean) * ((double)k - l->mean);
    l->variance = squares / l->total;
}

// The a that gives this mean with b.
static double match_mean(law *l, double mean, double b) {
    double low = -1, high = 1;
    for (law_set(l, low, b); l->mean > mean && low > -1e12; law_set(l, low, b)) low *= 2;
    for (law_set(l, high, b); l->mean < mean && high < 1e12; law_set(l, high, b)) high *= 2;
    for (int i = 0; i < SEARCH_STEPS && high - low > 1e-12 * (1 + fabs(low)); i++) {
        double middle = 0.5 * (low + high);
        law_set(l, middle, b);
        if (fabs(l->mean - mean) < 1e-9 * (1 + mean)) return middle;
        *(l->mean < mean ? &low : &high) = middle;
    }
    law_set(l, 0.5 * (low + high), b);
    return 0.5 * (low + high);
}

static void match(law *l, double mean, double variance) {
    double low = -1, high = 1;
    for (match_mean(l, mean, low); l->variance < variance && low > -1e6; match_mean(l, mean, low))
        low *= 2;
    for (match_mean(l, mean, high); l->variance > variance && high < 1e9; match_mean(l, mean, high))
        high *= 2;
    for (int i = 0; i < SEARCH_STEPS; i++) {
        double middle = 0.5 * (low + high);
        match_mean(l, mean, middle);
        if (fabs(l->variance - variance) < 1e-5 * variance) return;
        *(l->variance > variance ? &low : &high) = middle;
    }
}

static void deal(const law *l, int64_t scale_top, int64_t items, int32_t *sorted) {
    double before = 0;
    int64_t at = 0;
    for (int64_t k = 0; k <= l->top; k++) {
        before += l->weight[k];
        int64_t until = k == l->top ? items : llrint((double)items * (before / l->total));
        int64_t value =
            l->top == scale_top ? k : llrint((double)k * (double)scale_top / (double)l->top);
        for (; at < until && at < items; at++) sorted[at] = (int32_t)value;
    }
}

kl_status kl_law_fill(int64_t top, double mean, double stddev, double offset, int64_t items,
                      int32_t *sorted, kl_error *err) {
    double variance = stddev * stddev, least = (mean - floor(mean)) * (ceil(mean) - mean);
    if (top < 0 || !(mean >= 0 && mean <= (double)top) || !(stddev >= 0) ||
        variance > mean * ((double)top - mean) * 1.001 + 1e-9) {
        return kl_fail(err, KL_ERROR_INPUT,
                       "no whole numbers of 0 .. %lld have the mean %g and the deviation %g",
                       (long long)top, mean, stddev);
    }
    if (variance <= least + 1e-9 || top < 1) { // as alike as whole numbers can be
        int64_t high = llrint((mean - floor(mean)) * (double)items);
        for (int64_t i = 0; i < items; i++)
            sorted[i] = (int32_t)(floor(mean) + (i >= items - high ? 1 : 0));
        return KL_OK;
    }
    // A law over more numbers than FINE_TOP is made for equal steps of them.
    int64_t steps = top < FINE_TOP ? top : FINE_TOP;
    double scale = (double)steps / (double)top;
    law l;
    kl_status status = law_begin(steps, offset, &l, err);
    if (status == KL_OK) {
        match(&l, mean * scale, variance * scale * scale);
        deal(&l, top, items, sorted);
    }
    law_end(&l);
    return status;
}

// ---- exactly ---------------------------------------------------------------------------------

static int64_t sum_of(const int32_t *numbers, int64_t items) {
    int64_t sum = 0;
    for (int64_t i = 0; i < items; i++) sum += numbers[i];
    return sum;
}

// Adds 1 to, or takes 1 from, evenly spread numbers that have room until the sum is right. The ends
// stay.
static void settle_sum(int64_t top, int64_t sum, int64_t items, int32_t *sorted) {
    int64_t missing = sum - sum_of(sorted, items);
    for (int sweep = 0; missing != 0; sweep++) {
        int step = missing > 0 ? 1 : -1;
        int64_t open = 0, left = missing * step, credit = 0;
        for (int64_t i = 1; i + 1 < items; i++) open += step > 0 ? sorted[i] < top : sorted[i] > 0;
        if (open == 0) return;
        for (int64_t i = 1; i + 1 < items && left > 0; i++) {
            if (!(step > 0 ? sorted[i] < top : sorted[i] > 0)) continue;
            credit += missing * step;
            if (credit < open) continue;
            credit -= credit / open * open;
            sorted[i] += step;
            left--;
        }
        missing = left * step;
    }
}

// Moves single units between a small and a large number: apart if the deviation is too small, else
// together.
static void settle_deviation(int64_t top, double mean, double stddev, int64_t items,
                             int32_t *sorted) {
    double excess = 0; // of the sum of squares over what it should be
    for (int64_t i = 0; i < items; i++)
        excess += ((double)sorted[i] - mean) * ((double)sorted[i] - mean);
    excess -= stddev * stddev * (double)items;
    double close = 1e-4 * stddev * stddev * (double)items;
    for (int sweep = 0; sweep < SETTLE_SWEEPS && fabs(excess) > close; sweep++) {
        for (int64_t i = 1; i < items / 2 && fabs(excess) > close; i++) {
            int64_t j = items - 1 - i;
            int apart = excess < 0 ? 1 : -1;
            double gain = 2.0 * apart * (double)(sorted[j] - sorted[i]) + 2.0;
            bool fits = apart > 0 ? sorted[i] > 0 && sorted[j] < top : sorted[j] - sorted[i] >= 2;
            if (!fits || fabs(excess + gain) > fabs(excess)) continue;
            sorted[i] -= apart;
            sorted[j] += apart;
            excess += gain;
        }
    }
}

static int by_value(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

kl_status kl_law_fill_exactly(int64_t top, int64_t sum, double stddev, double offset, int64_t items,
                              int32_t *sorted, kl_error *err) {
    if (items == 0) return KL_OK;
    double mean = (double)sum / (double)items;
    TRY(kl_law_fill(top, mean, stddev, offset, items, sorted, err));
    if (items > 1) {
        sorted[0] = 0;
        sorted[items - 1] = (int32_t)top;
    }
    settle_sum(top, sum, items, sorted);
    settle_deviation(top, mean, stddev, items, sorted);
    if (sum_of(sorted, items) != sum) {
        return kl_fail(err, KL_ERROR_INPUT, "%lld numbers from 0 to %lld cannot add up to %lld",
                       (long long)items, (long long)top, (long long)sum);
    }
    qsort(sorted, (size_t)items, sizeof *sorted, by_value);
    return KL_OK;
}
