// Statistics of timings: median, percentile, bootstrap interval. Deterministic: the resampling uses
// a fixed seed, so that the same samples always give the same interval. Bootstrap: Efron and
// Tibshirani, "An Introduction to the Bootstrap", 1993, percentile interval.
#pragma once

#include <stddef.h>
#include <stdint.h>

// A median with its interval, in the unit of the samples; NaN everywhere when there were none.
typedef struct kl_interval {
    double low;  // lower end of the interval
    double mid;  // the median itself
    double high; // upper end
} kl_interval;

// Percentile p in [0, 100] of ascending values, linear between neighbours. NaN when count is 0.
double kl_percentile_sorted(const double *sorted, size_t count, double p);

// Median of values in any order (at most KL_STATS_MAX are used). NaN when count is 0.
double kl_median(const double *values, size_t count);

// Median with the percentile bootstrap interval of the given coverage (0.95 gives 2.5 % .. 97.5 %).
// count 0 gives NaN everywhere, count 1 an interval of no width.
kl_interval kl_median_interval(const double *values, size_t count, double coverage);

// Geometric mean of positive values; NaN when count is 0 or a value is not positive.
double kl_geometric_mean(const double *values, size_t count);

enum {
    KL_STATS_MAX = 4096,      // samples kept at most
    KL_STATS_RESAMPLES = 1000 // enough for two digits of a 95 % interval
};
