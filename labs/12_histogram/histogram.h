// The contract of lab 12, histograms: what every step takes, gives and may use.
// For C and CUDA C. It must not contain anything that only one step needs.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The size of a value. The bin of a value is what its upper bits say, so that every value has one.
typedef enum histogram_kind {
    HISTOGRAM_BYTES = 0,  // uint8_t, 256 bins: bin = value
    HISTOGRAM_SHORTS = 1, // uint16_t, 4,096 bins: bin = value >> 4
    HISTOGRAM_INTS = 2,   // uint32_t, 256 bins: bin = value >> 24
} histogram_kind;

enum { HISTOGRAM_KINDS = 3, HISTOGRAM_MOST_BINS = 4096 };

static inline int histogram_value_bytes(histogram_kind kind) {
    return kind == HISTOGRAM_BYTES ? 1 : kind == HISTOGRAM_SHORTS ? 2 : 4;
}

static inline int histogram_bins(histogram_kind kind) {
    return kind == HISTOGRAM_SHORTS ? HISTOGRAM_MOST_BINS : 256;
}

static inline int histogram_shift(histogram_kind kind) {
    return kind == HISTOGRAM_BYTES ? 0 : kind == HISTOGRAM_SHORTS ? 4 : 24;
}

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { HISTOGRAM_NOT_IMPLEMENTED = -1 };

// counts[b] = how many of the n values have bin b.
//
//   d_x       device, [n] values of the kind's type; only read. The address is a multiple of
//             the type's size, NOT always of 16. NULL when n is 0.
//   n         values, 0 <= n <= 2^31
//   kind      type of the values and number of bins
//   d_counts  device, [histogram_bins(kind)], written in every call, also where a count is
//             0; it holds undefined values before. The address is a multiple of 16.
//
// All work goes to the default stream; a step need not wait for it to finish.
//
// Counts are exact, in whatever order the values are counted.
//
// Returns 0, a cudaError_t, or HISTOGRAM_NOT_IMPLEMENTED. cudaErrorInvalidValue when n is negative,
// kind unknown.
typedef int histogram_function(const void *d_x, int64_t n, histogram_kind kind, uint32_t *d_counts);

histogram_function histogram_step0, histogram_step1, histogram_step2, histogram_step3,
    histogram_step4, histogram_step5, histogram_step6;
histogram_function histogram_vendor; // the toolkit's library, for comparison

#ifdef __cplusplus
}
#endif
