// Statistics of timings: see stats.h. Pure functions; no clock, no state.
#include "stats.h"
#include "random.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sorts values in place, ascending. Values must not be NaN.
static void kl_sort(double *values, size_t count) {
    if (count > 1) qsort(values, count, sizeof *values, ascending);
}

double kl_percentile_sorted(const double *sorted, size_t count, double p) {
    if (count == 0) return NAN;
    if (p <= 0.0) return sorted[0];
    if (p >= 100.0) return sorted[count - 1];
    double position = p / 100.0 * (double)(count - 1);
    size_t below = (size_t)position;
    if (below + 1 >= count) return sorted[count - 1];
    double weight = position - (double)below;
    return sorted[below] + weight * (sorted[below + 1] - sorted[below]);
}

// Copies at most KL_STATS_MAX values and sorts the copy; returns how many there are.
static size_t sorted_copy(const double *values, size_t count, double *out_sorted) {
    size_t kept = count < KL_STATS_MAX ? count : KL_STATS_MAX;
    memcpy(out_sorted, values, kept * sizeof *values);
    kl_sort(out_sorted, kept);
    return kept;
}

double kl_median(const double *values, size_t count) {
    double sorted[KL_STATS_MAX];
    if (count == 0) return NAN;
    size_t kept = sorted_copy(values, count, sorted);
    return kl_percentile_sorted(sorted, kept, 50.0);
}

kl_interval kl_median_interval(const double *values, size_t count, double coverage) {
    kl_interval none = {NAN, NAN, NAN};
    if (count == 0) return none;
    double sorted[KL_STATS_MAX];
    double sample[KL_STATS_MAX];
    double medians[KL_STATS_RESAMPLES];
    const uint64_t seed = UINT64_C(0x6B6C2D626F6F7473); // fixed: equal samples give equal intervals
    size_t kept = sorted_copy(values, count, sorted);

    for (size_t r = 0; r < KL_STATS_RESAMPLES; r++) {
        for (size_t i = 0; i < kept; i++)
            sample[i] = sorted[kl_random_below(seed, r * kept + i, kept)];
        kl_sort(sample, kept);
        medians[r] = kl_percentile_sorted(sample, kept, 50.0);
    }
    kl_sort(medians, KL_STATS_RESAMPLES);

    double tail = 50.0 * (1.0 - coverage);
    kl_interval interval = {
        .low = kl_percentile_sorted(medians, KL_STATS_RESAMPLES, tail),
        .mid = kl_percentile_sorted(sorted, kept, 50.0),
        .high = kl_percentile_sorted(medians, KL_STATS_RESAMPLES, 100.0 - tail),
    };
    return interval;
}

double kl_geometric_mean(const double *values, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > 0.0)) return NAN;
        sum += log(values[i]);
    }
    return count == 0 ? NAN : exp(sum / (double)count);
}
